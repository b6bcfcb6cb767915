/** Tests for strict callers, which must send every property. Their empty values count as omitted. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { runExamples } from '../support/mcp/examples.ts';
import { legacyCall, legacyRequest } from '../support/mcp/mcp-client.ts';
import {
  asEmpty,
  asEmptyObject,
  asNull,
  asObjectOfNulls,
  type PublishedSchema,
  withEveryProperty,
} from '../support/mcp/strict-callers.ts';
import { embeddedPair, type ServedPair, serve } from '../support/stores/pairs.ts';

type Input = Record<string, unknown>;
type Unused = typeof asNull;
interface Context extends ServedPair {
  schemas: Map<string, PublishedSchema>;
}

/** Inputs of an update that are not fields of its record. */
const NON_RECORD_INPUTS = ['id', 'fields', 'reason', 'idempotency_key', 'expected_revision'];

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
function strictInput({ schemas }: Context, tool: string, input: Input, unused: Unused): Input {
  const fields = Object.keys(input).filter((name) => !NON_RECORD_INPUTS.includes(name));
  return { ...withEveryProperty(schemas.get(tool)!, input, unused), ...(isUpdate(tool) ? { fields } : {}) };
}

for (const [about, unused] of [
  ['null', asNull],
  ['objects of nulls', asObjectOfNulls],
] as const) {
  test(`every tool accepts ${about} for unused properties`, async (context) => {
    const { owner } = context;
    const exampleRuns = await runExamples(ALL_TOOLS, async (tool, input) => {
      // The published schema of a row has only its id.
      const call = tool === 'importRecords' ? input : strictInput(context, tool, input as Input, unused);
      return (await owner.ok(tool, call)) as never;
    });
    assert.is(exampleRuns.length, ALL_TOOLS.length);
    for (const { tool, answer } of exampleRuns.filter(({ tool }) => isUpdate(tool.name))) {
      assert.ok((answer.event_types as string[]).length > 0, tool.name);
    }
  });
}

test('the direct form accepts null for unused properties', async (context) => {
  const { id: organizationId, owner } = await context.foreignOrganization();
  const { url, token } = owner;
  const callTool = (tool: string, input: Input) =>
    fetch(`${url}/api/mcp/tools/${tool}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(strictInput(context, tool, input, asNull)),
    });
  assert.is((await callTool('addVendor', { organization_id: organizationId, name: 'Direct' })).status, 200);
  const list = (await (await callTool('listVendors', { organization_id: organizationId })).json()) as {
    vendors: { name: string }[];
  };
  assert.equal(
    list.vendors.map(({ name }) => name),
    ['Direct'],
  );
  const query = `organization_id=${organizationId}&cursor=&as_of=&size=null&view=SUMMARY`;
  const getResponse = await fetch(`${url}/api/mcp/tools/listVendors?${query}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.is(getResponse.status, 200);
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
    const refusals = new Map<string, unknown>();
    await runExamples(ALL_TOOLS, async (tool, input) => {
      const exampleInput = input as Input;
      const call = strictInput(context, tool, exampleInput, unused);
      if ('expected_revision' in call) call.expected_revision = await revisionOf(context, String(exampleInput.id));
      const { isError, result } = await legacyCall(context.url, context.token, tool, call);
      if (!isError && !JSON.stringify(result).includes('"errors"')) return result;
      refusals.set(tool, result);
      return (await owner.ok(tool, exampleInput)) as never;
    });
    assert.equal([...refusals.keys()].sort(), toolsNotCallable(), JSON.stringify([...refusals]));
    const secondOrganization = await context.foreignOrganization();
    const library = { organization_id: secondOrganization.id, library_id: 'GDPR' };
    await secondOrganization.owner.ok('addFramework', strictInput(context, 'addFramework', library, unused));
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
    const input = withEveryProperty(context.schemas.get('updateVendor')!, { id: vendor.id, name: 'New' }, unused);
    const { fields: _fields, ...withoutFields } = { ...input, expected_revision: 1 } as Input;
    for (const fields of [{}, { fields: null }, { fields: [] }]) {
      const { code, field, message, allowed } = await owner.refused('updateVendor', { ...withoutFields, ...fields });
      assert.equal([code, field], ['invalid_input', 'fields']);
      assert.match(message, 'Name the properties to change in fields');
      assert.ok(allowed!.includes('contract_until') && !allowed!.includes('reason'));
    }
  }
  // If one property is missing, or only one is null, the caller may have meant it.
  const { status: _status, ...withoutStatus } = withEveryProperty(
    context.schemas.get('updateVendor')!,
    { id: vendor.id, name: 'New', country: 'DE' },
    asNull,
  ) as Input;
  const { vendor: changedVendor } = await owner.ok('updateVendor', withoutStatus);
  assert.equal([changedVendor.name, changedVendor.country], ['New', 'DE']);
  const control = { id: await anyControl(context), name: 'C', description: 'd', inclusion_justification: 'i' };
  const exclusion = { status: 'EXCLUDED', exclusion_justification: 'e', reason: 'r' };
  const withOneNull = { ...control, ...exclusion, owner_id: null };
  assert.equal((await owner.ok('updateControl', withOneNull)).event_types.length, 3);
});

async function anyControl({ owner, organizationId }: Context): Promise<string> {
  const controls = [{ section_title: 'A.1', name: 'A' }];
  const adopted = await owner.ok('addFramework', { organization_id: organizationId, name: 'Own', controls });
  const { framework } = adopted as unknown as { framework: { id: string } };
  const list = await owner.ok('listControls', {
    organization_id: organizationId,
    filter: { framework_id: [framework.id] },
  });
  return (list as unknown as { controls: { id: string }[] }).controls[0]!.id;
}

test('an empty text for an enum that can be null counts as omitted, and clears it in an update', async (served) => {
  const { owner, organizationId: organization_id } = served;
  const { risk } = await owner.ok('addRisk', { organization_id, name: 'Empty', treatment: '' });
  assert.is(risk.treatment, null);
  await owner.ok('updateRisk', { id: risk.id, treatment: 'AVOIDED' });
  assert.is((await owner.ok('updateRisk', { id: risk.id, treatment: '' })).risk.treatment, null);
  assert.is((await owner.refused('updateRisk', { id: risk.id, status: '' })).field, 'status');
  // Clients don't see the values of these two, so they send a text.
  const order_by = { field: 'name', direction: '' };
  const { risks } = await owner.ok('listRisks', { organization_id, view: '', order_by });
  assert.equal(
    risks.map(({ name }) => name),
    risks.map(({ name }) => name).toSorted(),
  );
  assert.is((await owner.refused('listRisks', { organization_id, view: 'ALL' })).field, 'view');
});

test('an update changes only the properties named in fields', async ({ owner, organizationId }) => {
  const newVendor = { organization_id: organizationId, name: 'A', country: 'DE', category: 'c' };
  const { vendor } = await owner.ok('addVendor', newVendor);
  const { id } = vendor;
  const onlyCountry = {
    id,
    country: null,
    name: '',
    category: 5,
    status: 'NONE',
    fields: ['country'],
    idempotency_key: 'k',
  };
  const updateAnswer = await owner.ok('updateVendor', onlyCountry);
  assert.equal([updateAnswer.vendor.name, updateAnswer.vendor.country, updateAnswer.vendor.category], ['A', null, 'c']);
  const repeatedUpdate = await owner.ok('updateVendor', { id, country: null, idempotency_key: 'k' });
  assert.is(repeatedUpdate.repeated, true, 'properties that are not applied are not part of the input');
  const misspelledField = await owner.refused('updateVendor', { id, name: 'B', fields: ['nmae'] });
  assert.equal([misspelledField.code, misspelledField.field], ['invalid_input', 'fields.0']);
  assert.ok(misspelledField.allowed!.includes('name'));
  const missingProperty = await owner.refused('updateVendor', { id, name: 'B', fields: ['name', 'country'] });
  assert.equal([missingProperty.code, missingProperty.field], ['invalid_input', 'fields']);
  assert.match(missingProperty.message, 'country');
  const notAList = await owner.refused('updateVendor', { id, name: 'B', fields: { name: true } });
  assert.equal([notAList.code, notAList.field], ['invalid_input', 'fields.0']);
  // Some tools that change a record are not updates.
  const review = await owner.refused('reviewVendor', { id, outcome: 'APPROVED', fields: ['outcome'] });
  assert.equal([review.code, review.field], ['invalid_input', 'fields']);
});

test('records, hashes and cursors are the same with and without unused properties', async (context) => {
  const { id: organizationId, owner } = await context.foreignOrganization();
  const callTwice = async (tool: string, input: Input) => {
    const plain = await owner.ok(tool, input);
    const fullAnswer = await owner.ok(tool, strictInput(context, tool, input, asNull));
    return [plain, fullAnswer] as const;
  };
  for (const unused of [{}, { description: null, status: null, reason: '', country: '  ' }]) {
    const { repeated = false } = await owner.ok('addVendor', {
      organization_id: organizationId,
      name: 'Once',
      idempotency_key: 'one',
      ...unused,
    });
    assert.is(repeated, 'reason' in unused);
  }
  const controls = [{ section_title: 'A.1', name: 'A' }];
  const [, adopted] = await callTwice('addFramework', {
    organization_id: organizationId,
    name: 'F',
    controls,
    idempotency_key: 'two',
  });
  assert.is(adopted.repeated, true);
  const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'Two' });
  const review = { id: vendor.id, outcome: 'APPROVED', idempotency_key: 'three' };
  assert.is((await callTwice('reviewVendor', review))[1].repeated, true);

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
  const call = async (row: Input, otherInput: Input = {}) => {
    const input = { organization_id: organizationId, type: 'VENDOR', rows: [row], ...otherInput };
    return (await owner.ok('importRecords', input)) as unknown as Imported;
  };
  const firstImport = await call({ name: 'Row', country: 'DE' }, { dry_run: null, idempotency_key: '', reason: null });
  assert.is(firstImport.created, 1);
  const secondImport = await call({ id: '', name: 'Row', country: 'DE', status: null, category: '' });
  assert.equal([secondImport.created, secondImport.unchanged], [0, 1]);
  const { id } = firstImport.rows[0]!;
  const emptyCells = {
    country: null,
    category: null,
    criticality: null,
    website_url: null,
    owner_id: null,
    data_shared: '',
    processes_personal_data: null,
    contract_until: null,
    next_review_due: null,
    description: null,
  };
  const answer = await call({ id, ...emptyCells, status: 'SUSPENDED', name: 'Row' }, { reason: 'gone' });
  assert.is(answer.updated, 1, 'rows are not refused for clearing all');
  const { records } = await owner.ok('getRecords', { ids: [id] });
  assert.is(records[0]!.country, null);
});

test.run();
