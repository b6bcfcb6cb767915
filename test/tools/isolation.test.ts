import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { FAMILIES } from '../../src/commands/families.ts';
import type { FamilyName } from '../../src/register/families.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { idOf, RECORD_KINDS } from '../support/ids.ts';
import { isArchiving, runExamples } from '../support/mcp/examples.ts';
import { type Answer, legacyCall, legacyRequest, type Session } from '../support/mcp/mcp-client.ts';
import { onBothPairs, type ServedPair } from '../support/stores/pairs.ts';

interface Published {
  name: string;
  inputSchema: Schema;
}
interface Schema {
  type: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  required?: string[];
}
/** The path of an argument. 0 is the first item of a list. */
type Path = (string | 0)[];
/** Ids by type: a record of each family, the organization and an account. */
type Ids = ReadonlyMap<string, string>;

const SECRET = 'Kryptonite';

/** Returns the paths in a tool's input that take an id of a record, an organization or an account. */
function idPaths({ properties = {} }: Schema, path: Path = []): Path[] {
  return Object.entries(properties).flatMap(([name, { properties, items, ...schema }]) => {
    if (properties) return idPaths({ properties, ...schema }, [...path, name]);
    if (items?.properties) return idPaths(items, [...path, name, 0]);
    // reference_id is free text, library_id a name, call_id no record’s, and a moment can be an audit's id.
    const takesId = /(^|_)ids?$|^(linked_to|as_of|from|to)$/.test(name) && !/^(reference|library|call)_id$/.test(name);
    return takesId ? [[...path, name, ...(items ? [0 as const] : [])]] : [];
  });
}

const NAMED: Record<string, string> = {
  organization_id: 'org',
  owner_id: 'acc',
  approver_id: 'acc',
  actor_id: 'acc',
  framework_id: 'frm',
  linked_framework_id: 'frm',
  audit_id: 'aud',
  as_of: 'aud',
  from: 'aud',
  to: 'aud',
};

/** Returns the id types that an argument can take. */
function kindsAt(tool: string, path: Path): string[] {
  const name = String(path.filter((step) => step !== 0).at(-1));
  const namedKinds = NAMED[name];
  if (namedKinds !== undefined) return [namedKinds];
  if (tool === 'importRecords' && path[0] === 'ids') {
    return RECORD_KINDS.filter((kind) => !UNCHANGEABLE_KINDS.includes(kind));
  }
  const ownRecord = /^ids?$/.test(name) && ALL_TOOLS.find((definition) => definition.name === tool)!.record;
  if (ownRecord) return [FAMILIES[ownRecord.type as FamilyName].prefix];
  return tool === 'addEvidence' ? RECORD_KINDS.filter((kind) => kind !== 'evd') : RECORD_KINDS;
}

/** Returns the input with a value at a path. */
function withValue(input: unknown, [step, ...rest]: Path, value: string): unknown {
  if (step === undefined) return value;
  if (step === 0) return [withValue((input as unknown[])?.[0], rest, value)];
  const members = (input ?? {}) as Record<string, unknown>;
  return { ...members, [step]: withValue(members[step], rest, value) };
}

/** Adds a record of each family by the tools' examples. Returns their inputs and ids. */
async function layExamples(session: Session, prefix = '') {
  const markInput = (input: object) =>
    Object.entries(input).map(([key, value]) => [key, MARKED.test(key) ? `${prefix}${value}` : value]);
  const keeping = ALL_TOOLS.filter((tool) => !isArchiving(tool));
  const exampleRuns = await runExamples(keeping, async (tool, input) => ({
    ...(await session.ok(tool, Object.fromEntries(markInput(input)))),
  }));
  const ids = new Map<string, string>();
  for (const { answer } of exampleRuns) {
    for (const id of JSON.stringify(answer).match(ID) ?? []) if (!ids.has(id.slice(0, 3))) ids.set(id.slice(0, 3), id);
  }
  return { inputs: new Map(exampleRuns.map(({ tool, input }) => [tool.name, input])), ids };
}
const MARKED = /^(name|description|requirement|reference_id)$/;
const ID = /\b[a-z]{3}_[0-9A-Z]{26,29}\b/g;

/** Returns an answer without ids and times, which differ between calls. */
function shapeOf({ isError, result }: Answer): string {
  const text = JSON.stringify({ isError, result });
  return text
    .replace(ID, (id) => `${id.slice(0, 3)}_ID`)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replace(/"selection":"[^"]+"/, 'SELECTION')
    .replace(/"call_id":"[^"]+"/, 'CALL');
}

/** Returns the error codes. Unlinkable types are refused before either record is looked up. */
function codesAt(path: Path): string[] {
  if (path[0] === 'links') return ['not_found', 'invalid_input'];
  // Wrong rows refuse the whole import. The fault of a row is reported on the row.
  if (path[0] === 'rows') return ['invalid_input'];
  return /^(owner|approver)_id$/.test(String(path.at(-1))) ? ['invalid_input'] : ['not_found'];
}

/** Reads that search: an unknown id gives an empty result, not an error. */
function isSearched(tool: string, path: Path): boolean {
  if (tool === 'getReport') return path[0] === 'owner_id';
  return path[0] === 'filter' || (tool === 'getRecords' && path[0] === 'ids');
}

/** Inputs of importRecords that exclude rows. */
const BESIDE_ROWS = ['set', 'ids', 'filter'];
/** Types of records that never change, so that importRecords can't set their fields. */
const UNCHANGEABLE_KINDS = ['evd', 'frm'];

/** Returns a report type that takes the input. */
function reportFor(tool: string, [first]: Path): object {
  if (tool !== 'getReport') return {};
  if (first === 'framework_id') return { type: 'STATEMENT_OF_APPLICABILITY' };
  if (first === 'audit_id') return { type: 'AUDIT_PACK' };
  if (first === 'filter') return { type: 'EVIDENCE' };
  return first === 'from' || first === 'to' ? { type: 'CHANGES_BETWEEN', from: '1' } : {};
}

await onBothPairs('another organization', (test) => {
  let theirIds: Ids;
  let ownExamples: Awaited<ReturnType<typeof layExamples>>;
  let published: Published[];
  let setInput: object;
  let state: () => Promise<unknown>;

  test.before(async (served: ServedPair) => {
    const { tools } = (await legacyRequest(served.url, served.token, 'tools/list', {})) as { tools: Published[] };
    published = tools;
    const { id, accountId, owner } = await served.foreignOrganization();
    const { ids } = await layExamples(owner, SECRET);
    theirIds = new Map([...ids, ['org', id], ['acc', accountId]]);
    ownExamples = await layExamples(served.owner);
    // Its example did not run, because it would archive our record.
    ownExamples.inputs.set('archiveRecords', { ids: [ownExamples.ids.get('rsk')!], action: 'ARCHIVE', reason: 'r' });
    const vendors = [ownExamples.ids.get('vnd')!];
    setInput = { organization_id: served.organizationId, set: { owner_id: 'ME' }, ids: vendors, dry_run: true };
    const records = RECORD_KINDS.map((kind) => theirIds.get(kind)!);
    const eventCount = async (session: Session, organization_id: string) => {
      const filter = { record_types: Object.keys(FAMILIES) };
      const { verification, ...read } = await session.ok('listChanges', {
        organization_id,
        filter,
        size: 100,
        verify: true,
      });
      // The service may seal meanwhile.
      return { ...read, verdict: verification!.verdict };
    };
    state = async () => [
      await owner.ok('getRecords', { ids: records, include: ['HISTORY', 'LINKS', 'EVIDENCE', 'ARCHIVED'] }),
      await eventCount(owner, id),
      await eventCount(served.owner, served.organizationId),
    ];
  });

  /** Returns a valid input of our organization that has the argument. With `set` it is a dry run: a write needs the same one. */
  function inputOf(tool: string, path: Path): object | undefined {
    if (tool !== 'importRecords' || !BESIDE_ROWS.includes(String(path[0]))) return ownExamples.inputs.get(tool);
    return path[0] === 'set' ? setInput : { ...setInput, ids: undefined };
  }

  test('no tool answers to another organization’s id in any argument, and none writes', async ({ url, token }) => {
    const before = await state();
    let callCount = 0;
    for (const { name, inputSchema } of published) {
      for (const path of idPaths(inputSchema)) {
        const input = { ...inputOf(name, path), ...reportFor(name, path) };
        for (const kind of kindsAt(name, path)) {
          const call = (id: string) => legacyCall(url, token, name, withValue(input, path, id) as object);
          const [their, none] = [await call(theirIds.get(kind)!), await call(idOf(kind))];
          const label = `${name} ${path.join('.')} ${kind}`;
          assert.not.match(JSON.stringify(their.result), SECRET, label);
          assert.is(shapeOf(their), shapeOf(none), label);
          if (their.isError) {
            const { code } = their.result.error as { code: string };
            assert.ok(codesAt(path).includes(code), `${label}: ${code}`);
          } else if (path[0] === 'set') {
            const { rows } = their.result as { rows: { errors?: unknown }[] };
            assert.ok(rows.length > 0 && rows.every(({ errors }) => errors), `${label} was taken`);
          } else assert.ok(isSearched(name, path), `${label} was taken`);
          callCount++;
        }
      }
    }
    assert.ok(callCount > 150, `${callCount} arguments were tried`);
    assert.equal(await state(), before);
  });

  test('no call can combine another organization’s ids with ours', async ({ owner, organizationId }) => {
    const ownIds = RECORD_KINDS.map((kind) => ownExamples.ids.get(kind)!);
    const all = [...RECORD_KINDS.map((kind) => theirIds.get(kind)!), ...ownIds];
    const ids = fc.uniqueArray(fc.constantFrom(...all), { minLength: 1 });
    const organization = fc.constantFrom({}, { organization_id: organizationId });
    await fc.assert(
      fc.asyncProperty(ids, organization, async (asked, namedOrganization) => {
        const read = await owner.ok('getRecords', { ids: asked, include: ['ARCHIVED'], ...namedOrganization });
        assert.equal(
          read.records.map(({ id }) => id),
          asked.filter((id) => ownIds.includes(id)),
        );
        assert.equal(
          read.not_found,
          asked.filter((id) => !ownIds.includes(id)),
        );
        const hasForeignId = asked.some((id) => !ownIds.includes(id));
        const archive = { ids: asked, action: 'ARCHIVE', reason: 'r', ...namedOrganization };
        if (hasForeignId) assert.is((await owner.refused('archiveRecords', archive)).code, 'not_found');
      }),
      { numRuns: 15 },
    );
  });

  test('lists, counts, searches and histories don’t show another organization’s records', async ({
    owner,
    organizationId: organization_id,
  }) => {
    const report = { type: 'EVIDENCE', format: 'JSON', filter: { query: SECRET } };
    const evidence = await owner.ok('getReport', { organization_id, ...report });
    assert.match(JSON.stringify(evidence), '"sections":[{"name":"evidence","rows":[]}]');
    for (const { name } of published.filter(({ inputSchema }) => inputSchema.properties?.filter?.properties?.ids)) {
      const filter = { query: SECRET, include_archived: true };
      assert.is((await owner.ok(name, { organization_id, filter, view: 'COUNT' })).total, 0, name);
    }
    const changes = await owner.walk('listChanges', 'changes', { organization_id, size: 100 });
    assert.not.match(JSON.stringify(changes), SECRET);
    const add = await owner.ok('addRisk', { organization_id, name: SECRET, reference_id: SECRET });
    assert.is(add.similar, undefined);
    const { organizations } = await owner.ok('listOrganizations', { include_members: true });
    assert.not.match(JSON.stringify(organizations), theirIds.get('org')!);
  });
});
