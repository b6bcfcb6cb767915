import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ok } from '../support/controls.ts';
import { startTwoOrganizations, type TwoOrganizations } from '../support/identity/two-organizations.ts';
import { idOf, RECORD_KINDS } from '../support/ids.ts';
import { assertNames, refusalOf } from '../support/mcp/refusals.ts';
import { type Answer, ORGANIZATION } from '../support/register.ts';

/* Links that are refused, links that look wrong but are allowed, and links of archived records. */

const test = suite<TwoOrganizations>('invalid links');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

/** The pairs that the contract allows, in any direction. Evidence links with every type, and a control with another. */
const PAIRS =
  'rsk-msr rsk-vnd rsk-obl rsk-ctl msr-ctl msr-obl msr-vnd ncf-rsk ncf-msr ncf-ctl ncf-vnd ncf-obl obl-vnd obl-ctl';

/** The types that each type can be linked with. */
const LINKABLE = new Map<string, string[]>(
  RECORD_KINDS.map((kind) => {
    const otherKinds = RECORD_KINDS.filter((other) => other !== kind || kind === 'ctl');
    const pairs = PAIRS.split(' ').map((pair) => pair.split('-'));
    const isPaired = (other: string) => pairs.some((pair) => pair.includes(kind) && pair.includes(other));
    return [kind, otherKinds.filter((other) => kind === 'evd' || other === 'evd' || isPaired(other))];
  }),
);

const kindsOf = (allowed: readonly string[] = []) => allowed.map((kind) => kind.slice(0, 3)).sort();
const link = (from_id: unknown, to_id: unknown) => ({ from_id, to_id });
const resultsOf = (answer: Answer) => (answer.links as { result: string }[]).map(({ result }) => result);

/** Adds a record of a family that only needs a text. */
async function add({ register }: TwoOrganizations, title: string): Promise<string> {
  const texts: Record<string, object> = { Obligation: { requirement: 'x' }, Nonconformity: { description: 'x' } };
  const input = { organization_id: ORGANIZATION, ...(texts[title] ?? { name: 'x' }) };
  const [record] = Object.values(await ok(register, `add${title}`, input)) as { id: string }[];
  return record!.id;
}

async function archive({ register }: TwoOrganizations, ids: readonly string[], action = 'ARCHIVE') {
  const input = { ids, action, reason: 'gone' };
  const { records } = await ok<{ records: { id: string; archived_at: string | null; referred_by: number }[] }>(
    register,
    'archiveRecords',
    input,
  );
  return records;
}

test('linkRecords links exactly the pairs of types that the contract allows, in both directions', async (context) => {
  const { register, ourIds } = context;
  let linkCount = 0;
  for (const from of RECORD_KINDS) {
    for (const to of RECORD_KINDS.filter((kind) => kind !== from)) {
      const input = { links: [link(ourIds.get(from), ourIds.get(to))] };
      if (LINKABLE.get(from)!.includes(to)) {
        await ok(register, 'linkRecords', { ...input, action: 'UNLINK', reason: 'Found out' });
        assert.equal(resultsOf(await ok(register, 'linkRecords', input)), ['CREATED'], `${from}-${to}`);
        linkCount++;
      } else {
        const refused = await refusalOf(context, 'linkRecords', input, `${from}-${to}`);
        assertNames(refused, 'invalid_input', 'links.0', `${from}-${to}`);
        assert.equal(kindsOf(refused.allowed), LINKABLE.get(from)!.toSorted(), `${from}-${to}`);
      }
    }
  }
  assert.is(linkCount, 2 * (PAIRS.split(' ').length + RECORD_KINDS.length - 1));
});

test('linkRecords refuses two records of one type, and a record with itself', async (context) => {
  for (const [kind, title] of Object.entries({ rsk: 'Risk', vnd: 'Vendor', msr: 'Measure', obl: 'Obligation' })) {
    const ourId = context.ourIds.get(kind)!;
    for (const other of [await add(context, title), ourId]) {
      for (const action of ['LINK', 'UNLINK']) {
        const input = { links: [link(ourId, other)], action };
        const refused = await refusalOf(context, 'linkRecords', input, `${kind} ${action}`);
        assertNames(refused, 'invalid_input', 'links.0', kind);
        assert.match(refused.message, ourId);
        assert.equal(kindsOf(refused.allowed), LINKABLE.get(kind)!.toSorted());
      }
    }
  }
});

test('a link that one call repeats is created once', async (context) => {
  const { register } = context;
  const { events } = register.stores;
  const [risk, measure] = [await add(context, 'Risk'), await add(context, 'Measure')];
  const links = [link(risk, measure), link(measure, risk), link(risk, measure)];
  assert.equal(resultsOf(await ok(register, 'linkRecords', { links })), ['CREATED', 'UNCHANGED', 'UNCHANGED']);
  const before = (await events.head(null)).newest;
  assert.equal(resultsOf(await ok(register, 'linkRecords', { links })), Array(3).fill('UNCHANGED'));
  assert.is((await events.head(null)).newest, before);
  const parted = await ok(register, 'linkRecords', { links, action: 'UNLINK', reason: 'Found out' });
  assert.equal(resultsOf(parted), ['REMOVED', 'UNCHANGED', 'UNCHANGED']);
  const after = (await events.head(null)).newest;
  const repeated = await ok(register, 'linkRecords', { links, action: 'UNLINK', reason: 'Found out' });
  assert.equal(resultsOf(repeated), Array(3).fill('UNCHANGED'));
  assert.is((await events.head(null)).newest, after);
});

test('one invalid link refuses all links of a call', async (context) => {
  const { ourIds, theirIds } = context;
  const validLinks = Array.from({ length: 3 }, () => link(ourIds.get('ncf'), ourIds.get('vnd')));
  const invalidCases: [string, object][] = [
    ['invalid_input', link(ourIds.get('aud'), ourIds.get('rsk'))],
    ['not_found', link(ourIds.get('rsk'), idOf('vnd'))],
    ['not_found', link(theirIds.get('rsk'), theirIds.get('vnd'))],
    ['not_found', link(ourIds.get('rsk'), theirIds.get('vnd'))],
  ];
  for (const [code, invalidLink] of invalidCases) {
    for (const links of [
      [invalidLink, ...validLinks],
      [...validLinks, invalidLink],
    ]) {
      const refused = await refusalOf(context, 'linkRecords', { links }, code);
      assert.is(refused.code, code);
      assert.match(refused.field!, /^links/);
    }
  }
});

test('linkRecords answers each link in the order of the call', async (context) => {
  const { ourIds, register } = context;
  const [risk, vendor, gone] = [await add(context, 'Risk'), await add(context, 'Vendor'), await add(context, 'Vendor')];
  const validLink = link(risk, vendor);
  const placesOf = ({ issues = [] }: { issues?: { field: string }[] }) => issues.map(({ field }) => field);
  const unfit = [validLink, link(risk, risk), validLink, link(risk, ourIds.get('aud'))];
  assert.equal(placesOf(await refusalOf(context, 'linkRecords', { links: unfit })), ['links.1', 'links.3']);
  const linksWithUnknownIds = [link(risk, idOf('vnd')), validLink, link(idOf('rsk'), idOf('vnd'))];
  const { issues } = await refusalOf(context, 'linkRecords', { links: linksWithUnknownIds });
  assert.is(new Set(issues!.map(({ message }) => message)).size, 3, 'each unknown id');
  await archive(context, [gone]);
  const links = [validLink, validLink, link(risk, gone), link(vendor, risk), link(gone, risk)];
  const refusal = await refusalOf(context, 'linkRecords', { links });
  assert.equal([refusal.field, placesOf(refusal)], ['links.2', ['links.2']], 'a repeated pair counts once');
  await archive(context, [ourIds.get('frm')!]);
  const ids = [risk, risk, ourIds.get('ctl')];
  const archived = await refusalOf(context, 'archiveRecords', { ids, action: 'ARCHIVE', reason: 'r' });
  assert.equal([archived.field, placesOf(archived)], ['ids.2', ['ids.2']]);
  await archive(context, [ourIds.get('frm')!, gone], 'RESTORE');
  assert.equal(resultsOf(await ok(register, 'linkRecords', { links: [validLink] })), ['CREATED']);
});

test('linkRecords refuses records that are archived, or whose framework is', async (context) => {
  const { register, ourIds } = context;
  const [risk, vendor] = [await add(context, 'Risk'), await add(context, 'Vendor')];
  const [control, framework] = [ourIds.get('ctl')!, ourIds.get('frm')!];
  const linked = await ok(register, 'linkRecords', { links: [link(risk, vendor), link(risk, control)] });
  assert.equal(resultsOf(linked), ['CREATED', 'CREATED']);
  for (const [archivedId, links] of [
    [[risk], [link(risk, vendor)]],
    [[vendor], [link(risk, vendor)]],
    [[risk, vendor], [link(risk, vendor)]],
    [[framework], [link(risk, control)]],
    [[control], [link(risk, control)]],
  ] as const) {
    await archive(context, archivedId);
    for (const action of ['LINK', 'UNLINK']) {
      const refused = await refusalOf(context, 'linkRecords', { links, action }, `${archivedId} ${action}`);
      assert.equal([refused.code, refused.allowed], ['invalid_transition', ['RESTORE']], `${archivedId}`);
      if (archivedId[0] === framework) assert.match(refused.hint!, framework);
    }
    await archive(context, archivedId, 'RESTORE');
    assert.equal(resultsOf(await ok(register, 'linkRecords', { links })), ['UNCHANGED'], 'unchanged');
  }
});

test('a linked record can be archived, and the answer counts its references', async (context) => {
  const { register, ourIds } = context;
  const risk = await add(context, 'Risk');
  const measures = await Promise.all(['Measure', 'Measure', 'Measure'].map((title) => add(context, title)));
  const links = measures.map((measure) => link(measure, risk));
  await ok(register, 'linkRecords', { links: [...links, link(risk, ourIds.get('vnd'))] });
  await ok(register, 'addEvidence', { ...context.inputsByTool.get('addEvidence'), record_ids: [risk] });
  const countCalls = async (ids: readonly string[], action = 'ARCHIVE') =>
    (await archive(context, ids, action)).map(({ archived_at, referred_by }) => [archived_at !== null, referred_by]);
  assert.equal(await countCalls([risk]), [[true, 5]]);
  assert.equal(await countCalls([risk]), [[true, 5]], 'repeating it changes nothing');
  assert.equal(await countCalls([risk], 'RESTORE'), [[false, 5]]);
  assert.equal(await countCalls([risk, risk]), [[true, 5]], 'an id named twice counts once');
  await archive(context, [risk], 'RESTORE');
  // A reference counts as well: an audit's framework, a nonconformity's audit.
  for (const kind of ['frm', 'aud']) {
    const [{ archived_at, referred_by } = { archived_at: null, referred_by: 0 }] = await archive(context, [
      ourIds.get(kind)!,
    ]);
    assert.ok(archived_at !== null && referred_by >= 1, `${kind} ${referred_by}`);
  }
});

test.run();
