import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/ids.ts';
import { type Answer, legacyCall, legacyRequest } from '../support/mcp-client.ts';
import { onBothPairs, type Served } from '../support/pairs.ts';
import { daysAgo } from '../support/story.ts';

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
/** Where an argument is, and the property that says what it is: ids are told by their names. */
type Path = string[];
type Theirs = { organization: string; vendor: string; risk: string; account: string };

/** Every place of a tool's input that takes an id of a record, an organization or an account. */
function idPaths({ properties = {} }: Schema, path: Path = []): Path[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.properties) return idPaths(schema, [...path, name]);
    // A reference_id is a text of the user's own.
    const takesId = /(^|_)ids?$/.test(name) && name !== 'reference_id';
    return takesId ? [[...path, name]] : [];
  });
}

/** What there is to try at a place: ids of every kind that the argument may take. */
function candidates(tool: string, path: Path, theirs: Theirs): string[] {
  const name = path.at(-1)!;
  if (name === 'organization_id') return [theirs.organization];
  if (/^(owner|approver|actor)_id$/.test(name)) return [theirs.account];
  if (/Vendor/.test(tool)) return [theirs.vendor];
  if (/Risk/.test(tool)) return [theirs.risk];
  return [theirs.vendor, theirs.risk];
}

/** Arguments that a tool takes, with values of our own. */
const OURS: Record<string, object> = {
  addVendor: { name: 'Ours too' },
  updateVendor: { country: 'XX' },
  reviewVendor: { outcome: 'REJECTED' },
  addRisk: { name: 'Ours too' },
  updateRisk: { note: 'XX' },
  decideRisk: { decision: 'CLOSE', reason: 'r' },
  getRecords: { include: ['HISTORY', 'ARCHIVED'] },
  archiveRecords: { action: 'ARCHIVE', reason: 'r' },
};

function withValue(input: Record<string, unknown>, [name, ...rest]: Path, schema: Schema, id: string): object {
  const inner = schema.properties![name!]!;
  const value = rest.length > 0 ? withValue({}, rest, inner, id) : inner.type === 'array' ? [id] : id;
  return { ...input, [name!]: value };
}

/** An answer without what differs between any two calls: which ids, and times. */
function shape({ isError, result }: Answer): string {
  const text = JSON.stringify({ isError, result });
  return text.replace(/\b([a-z]{3})_[0-9A-Z]{26}\b/g, '$1_ID').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

const SECRET = 'Kryptonite';

await onBothPairs('another organization', (test) => {
  let theirs: Theirs;
  let published: Published[];
  let state: () => Promise<unknown>;

  test.before(async (served: Served) => {
    const { tools } = (await legacyRequest(served.url, served.token, 'tools/list', {})) as { tools: Published[] };
    published = tools;
    const { id, accountId, owner } = await served.foreignOrganization();
    const secret = { organization_id: id, name: SECRET, description: SECRET };
    const { vendor } = await owner.ok('addVendor', secret);
    const { risk } = await owner.ok('addRisk', { ...secret, reference_id: SECRET });
    theirs = { organization: id, vendor: vendor.id, risk: risk.id, account: accountId };
    state = async () => [
      await owner.ok('getRecords', { ids: [vendor.id, risk.id], include: ['HISTORY'] }),
      await owner.ok('listChanges', { organization_id: id, size: 100, verify: true }),
    ];
  });

  test('answers to none of its ids, in no argument of any tool, and nothing of it is changed', async (served) => {
    const { url, token, organizationId } = served;
    const before = await state();
    let tried = 0;
    for (const tool of published) {
      const { name, inputSchema } = tool;
      for (const path of idPaths(inputSchema)) {
        for (const id of candidates(name, path, theirs)) {
          const organization = inputSchema.required?.includes('organization_id')
            ? { organization_id: organizationId }
            : {};
          const call = async (value: string) => {
            const own = { ...organization, ...OURS[name], ...(await ownId(served, name, path)) };
            return legacyCall(url, token, name, withValue(own, path, inputSchema, value));
          };
          const [their, none] = [await call(id), await call(randomId(id.slice(0, 3)))];
          const label = `${name} ${path.join('.')} ${id.slice(0, 3)}`;
          assert.not.match(JSON.stringify(their.result), SECRET, label);
          assert.is(shape(their), shape(none), label);
          if (their.isError) assert.match((their.result.error as { code: string }).code, /^(not_found|invalid_input)$/);
          tried++;
        }
      }
    }
    assert.ok(tried > 25, `${tried} arguments were tried`);
    assert.equal(await state(), before);
  });

  test('is not met by any combination of its ids with ours', async ({ owner, organizationId }) => {
    const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'Ours' });
    const ids = fc.uniqueArray(fc.constantFrom(theirs.vendor, theirs.risk, vendor.id), { minLength: 1 });
    const organization = fc.constantFrom({}, { organization_id: organizationId });
    await fc.assert(
      fc.asyncProperty(ids, organization, async (asked, named) => {
        const read = await owner.ok('getRecords', { ids: asked, include: ['ARCHIVED'], ...named });
        assert.equal(
          read.records.map(({ id }) => id),
          asked.filter((id) => id === vendor.id),
        );
        assert.equal(
          read.not_found,
          asked.filter((id) => id !== vendor.id),
        );
        const foreign = asked.some((id) => id !== vendor.id);
        const archive = { ids: asked, action: 'ARCHIVE', reason: 'r', ...named };
        if (foreign) assert.is((await owner.refused('archiveRecords', archive)).code, 'not_found');
      }),
      { numRuns: 15 },
    );
  });

  test('is in no list, count, search or history of ours', async ({ owner, organizationId: organization_id }) => {
    for (const tool of ['listVendors', 'listRisks'] as const) {
      const filter = { query: SECRET, include_archived: true };
      assert.is((await owner.ok(tool, { organization_id, filter, view: 'COUNT' })).total, 0);
    }
    const changes = await owner.walk('listChanges', 'changes', { organization_id, size: 100 });
    assert.not.match(JSON.stringify(changes), SECRET);
    const add = await owner.ok('addRisk', { organization_id, name: SECRET, reference_id: SECRET });
    assert.is(add.similar, undefined);
    const { organizations } = await owner.ok('listOrganizations', { include_members: true });
    assert.not.match(JSON.stringify(organizations), theirs.organization);
  });
});

/** A record of our own for tools that change one, where another argument than its id is tried. */
async function ownId({ owner, organizationId: organization_id }: Served, tool: string, path: Path): Promise<object> {
  const name = path[0];
  if (name === 'id' || name === 'ids' || /^(list|add)/.test(tool)) return {};
  const { vendor } = await owner.ok('addVendor', { organization_id, name: 'Ours' });
  const { risk } = await owner.ok('addRisk', { organization_id, name: 'Ours' });
  if (tool === 'getRecords' || tool === 'archiveRecords') return { ids: [vendor.id] };
  if (path.includes('approver_id')) return { id: risk.id, decision: 'ACCEPT', until: daysAgo(-1), reason: 'r' };
  return { id: /Vendor/.test(tool) ? vendor.id : risk.id };
}
