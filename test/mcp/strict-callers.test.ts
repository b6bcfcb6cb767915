/** Callers that have to send every property: their empty values count as left out. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allTools } from '../../src/mcp/all-tools.ts';
import type { ToolService } from '../../src/mcp/define-tool.ts';
import { runExamples } from '../support/examples.ts';
import { legacyCall, legacyRequest } from '../support/mcp-client.ts';
import { embeddedPair, type Served, serve } from '../support/pairs.ts';
import {
  asEmpty,
  asEmptyObject,
  asNull,
  asObjectOfNulls,
  type PublishedSchema,
  withEveryProperty,
} from '../support/strict-callers.ts';

type Input = Record<string, unknown>;
type Unused = typeof asNull;
interface Context extends Served {
  schemas: Map<string, PublishedSchema>;
}

const TOOLS = allTools({} as ToolService);
/** Inputs of an update besides the fields of its record. */
const BESIDE_FIELDS = ['id', 'fields', 'reason', 'idempotency_key', 'expected_revision'];

const test = suite<Context>('strict callers');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { tools } = (await legacyRequest(served.url, served.token, 'tools/list', {})) as {
    tools: { name: string; inputSchema: PublishedSchema }[];
  };
  Object.assign(context, served, { schemas: new Map(tools.map(({ name, inputSchema }) => [name, inputSchema])) });
});
test.after((served) => served.close());

const isUpdate = (tool: string) => tool.startsWith('update');

/** Returns a call as a strict caller makes it. An update names the fields to change. */
function strict({ schemas }: Context, tool: string, input: Input, unused: Unused): Input {
  const fields = Object.keys(input).filter((name) => !BESIDE_FIELDS.includes(name));
  return { ...withEveryProperty(schemas.get(tool)!, input, unused), ...(isUpdate(tool) ? { fields } : {}) };
}

for (const [about, unused] of [
  ['null', asNull],
  ['objects of nulls', asObjectOfNulls],
] as const) {
  test(`every tool accepts ${about} for unused properties`, async (context) => {
    const { owner } = context;
    const ran = await runExamples(TOOLS, async (tool, input) => {
      // The published schema of a row has only its id.
      const call = tool === 'importRecords' ? input : strict(context, tool, input as Input, unused);
      return (await owner.ok(tool, call)) as never;
    });
    assert.is(ran.length, TOOLS.length);
    for (const { tool, answer } of ran.filter(({ tool }) => isUpdate(tool.name))) {
      assert.ok((answer.event_types as string[]).length > 0, tool.name);
    }
  });
}

test('the direct form accepts null for unused properties', async (context) => {
  const { id: organizationId, owner } = await context.foreignOrganization();
  const { url, token } = owner;
  const ask = (tool: string, input: Input) =>
    fetch(`${url}/api/mcp/tools/${tool}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(strict(context, tool, input, asNull)),
    });
  assert.is((await ask('addVendor', { organization_id: organizationId, name: 'Direct' })).status, 200);
  const listed = (await (await ask('listVendors', { organization_id: organizationId })).json()) as {
    vendors: { name: string }[];
  };
  assert.equal(
    listed.vendors.map(({ name }) => name),
    ['Direct'],
  );
  const query = `organization_id=${organizationId}&cursor=&as_of=&size=null&view=SUMMARY`;
  const got = await fetch(`${url}/api/mcp/tools/listVendors?${query}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.is(got.status, 200);
});

/** The tools that docs/clients.md excludes for callers that can't send null. */
function toolsNotCallable(): string[] {
  const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split("## Tools that such clients can't call\n");
  return [...section.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name!).sort();
}

for (const [about, unused] of [
  ['', asEmpty],
  [', their objects too', asEmptyObject],
] as const) {
  test(`tools callable without null accept empty values for unused properties${about}`, async (context) => {
    const { owner } = context;
    const refused = new Map<string, unknown>();
    await runExamples(TOOLS, async (tool, input) => {
      const given = input as Input;
      const call = strict(context, tool, given, unused);
      if ('expected_revision' in call) call.expected_revision = await revisionOf(context, String(given.id));
      const { isError, result } = await legacyCall(context.url, context.token, tool, call);
      if (!isError && !JSON.stringify(result).includes('"errors"')) return result;
      refused.set(tool, result);
      return (await owner.ok(tool, given)) as never;
    });
    assert.equal([...refused.keys()].sort(), toolsNotCallable(), JSON.stringify([...refused]));
    const other = await context.foreignOrganization();
    const library = { organization_id: other.id, library_id: 'GDPR' };
    await other.owner.ok('addFramework', strict(context, 'addFramework', library, unused));
  });
}

async function revisionOf({ owner }: Context, id: string): Promise<number> {
  const { records } = await owner.ok('getRecords', { ids: [id], include: ['ARCHIVED'] });
  return records[0]!.revision as number;
}

test('an update that would clear unused properties must name fields', async (context) => {
  const { owner, organizationId } = context;
  const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'Full', country: 'DE' });
  for (const unused of [asNull, asEmpty]) {
    for (const fields of [undefined, null, []]) {
      const all = withEveryProperty(context.schemas.get('updateVendor')!, { id: vendor.id, name: 'New' }, unused);
      const { code, field, message, allowed } = await owner.refused('updateVendor', {
        ...all,
        expected_revision: 1,
        ...(fields === undefined ? { fields: null } : { fields }),
      });
      assert.equal([code, field], ['invalid_input', 'fields']);
      assert.match(message, 'Name the properties to change in fields');
      assert.ok(allowed!.includes('contract_until') && !allowed!.includes('reason'));
    }
  }
  // If one property is missing, or only one is null, the caller may have meant it.
  const { status: _status, ...some } = withEveryProperty(
    context.schemas.get('updateVendor')!,
    { id: vendor.id, name: 'New', country: 'DE' },
    asNull,
  ) as Input;
  const { vendor: changed } = await owner.ok('updateVendor', some);
  assert.equal([changed.name, changed.country], ['New', 'DE']);
  const control = { id: await anyControl(context), name: 'C', description: 'd', inclusion_justification: 'i' };
  const whole = { ...control, status: 'EXCLUDED', exclusion_justification: 'e', owner_id: null };
  assert.equal((await owner.ok('updateControl', whole)).event_types.length, 3);
});

async function anyControl({ owner, organizationId }: Context): Promise<string> {
  const controls = [{ section_title: 'A.1', name: 'A' }];
  const adopted = await owner.ok('addFramework', { organization_id: organizationId, name: 'Own', controls });
  const { framework } = adopted as unknown as { framework: { id: string } };
  const listed = await owner.ok('listControls', {
    organization_id: organizationId,
    filter: { framework_id: [framework.id] },
  });
  return (listed as unknown as { controls: { id: string }[] }).controls[0]!.id;
}

test('an update changes only the properties named in fields', async ({ owner, organizationId }) => {
  const given = { organization_id: organizationId, name: 'A', country: 'DE', category: 'c' };
  const { vendor } = await owner.ok('addVendor', given);
  const { id } = vendor;
  const one = { id, country: null, name: '', category: 5, status: 'NONE', fields: ['country'], idempotency_key: 'k' };
  const changed = await owner.ok('updateVendor', one);
  assert.equal([changed.vendor.name, changed.vendor.country, changed.vendor.category], ['A', null, 'c']);
  const again = await owner.ok('updateVendor', { id, country: null, idempotency_key: 'k' });
  assert.is(again.repeated, true, 'what is not applied is not part of the input');
  const unknown = await owner.refused('updateVendor', { id, name: 'B', fields: ['nmae'] });
  assert.equal([unknown.code, unknown.field], ['invalid_input', 'fields.0']);
  assert.ok(unknown.allowed!.includes('name'));
  const absent = await owner.refused('updateVendor', { id, name: 'B', fields: ['name', 'country'] });
  assert.equal([absent.code, absent.field], ['invalid_input', 'fields']);
  assert.match(absent.message, 'country');
  const wrong = await owner.refused('updateVendor', { id, name: 'B', fields: 'name' });
  assert.equal([wrong.code, wrong.field], ['invalid_input', 'fields']);
  // Some tools that change a record are not updates.
  const review = await owner.refused('reviewVendor', { id, outcome: 'APPROVED', fields: ['outcome'] });
  assert.equal([review.code, review.field], ['invalid_input', 'fields']);
});

test('records, hashes and cursors are the same with and without unused properties', async (context) => {
  const { id: organizationId, owner } = await context.foreignOrganization();
  const both = async (tool: string, input: Input) => {
    const plain = await owner.ok(tool, input);
    const full = await owner.ok(tool, strict(context, tool, input, asNull));
    return [plain, full] as const;
  };
  for (const unused of [{}, { description: null, status: null, reason: '', country: '  ' }]) {
    const { repeated = false } = await owner.ok('addVendor', {
      ...{ organization_id: organizationId, name: 'Once', idempotency_key: 'one' },
      ...unused,
    });
    assert.is(repeated, 'reason' in unused);
  }
  const controls = [{ section_title: 'A.1', name: 'A' }];
  const [, adopted] = await both('addFramework', {
    ...{ organization_id: organizationId, name: 'F', controls, idempotency_key: 'two' },
  });
  assert.is(adopted.repeated, true);
  const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'Two' });
  const reviewed = { id: vendor.id, outcome: 'APPROVED', idempotency_key: 'three' };
  assert.is((await both('reviewVendor', reviewed))[1].repeated, true);

  const first = await owner.ok('listVendors', { organization_id: organizationId, size: 1 });
  const { next_cursor: cursor } = first;
  const filters = [{}, { filter: null }, { filter: {} }, { filter: { status: [], query: '', overdue: undefined } }];
  for (const unused of filters) {
    const page = await owner.ok('listVendors', {
      organization_id: organizationId,
      size: 1,
      cursor,
      as_of: '',
      ...unused,
    });
    assert.equal(
      page.vendors.map(({ name }) => name),
      ['Two'],
    );
  }
});

test('an import reads the same rows with and without empty cells', async ({ owner, organizationId }) => {
  interface Imported {
    created: number;
    updated: number;
    unchanged: number;
    rows: { id: string }[];
  }
  const call = async (row: Input, more: Input = {}) => {
    const input = { organization_id: organizationId, type: 'VENDOR', rows: [row], ...more };
    return (await owner.ok('importRecords', input)) as unknown as Imported;
  };
  const first = await call({ name: 'Row', country: 'DE' }, { dry_run: null, idempotency_key: '', reason: null });
  assert.is(first.created, 1);
  const again = await call({ id: '', name: 'Row', country: 'DE', status: null, category: '' });
  assert.equal([again.created, again.unchanged], [0, 1]);
  const { id } = first.rows[0]!;
  const nulls = { country: null, category: null, criticality: null, website_url: null, owner_id: null };
  const more = { data_shared: '', processes_personal_data: null, contract_until: null, next_review_due: null };
  const rest = { description: null, status: 'SUSPENDED', name: 'Row' };
  const cleared = await call({ id, ...nulls, ...more, ...rest }, { reason: 'gone' });
  assert.is(cleared.updated, 1, 'rows are not refused for clearing all');
  const { records } = await owner.ok('getRecords', { ids: [id] });
  assert.is(records[0]!.country, null);
});

test.run();
