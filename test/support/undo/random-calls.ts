import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { daysAgo } from '../past.ts';
import type { Answer } from '../register.ts';

/*
 * Random calls of every writing tool, each undone: the register is then as it was. What stands in the register at the
 * beginning is compared field by field and link by link; what was added is archived.
 */

/** Calls a tool, as an OWNER of the organization. Answers refusals too. */
type CallTool = (tool: string, input: object) => Promise<Answer>;

interface UndoAnswer extends Answer {
  selection?: string;
  call_id?: string;
  skipped?: unknown[];
}

/** The records of the register by family. */
type Ids = Record<
  'risk' | 'vendor' | 'measure' | 'obligation' | 'nonconformity' | 'audit' | 'framework' | 'control',
  string[]
>;

interface Random {
  tool: number;
  one: number;
  other: number;
  value: number;
}

const nat = fc.nat({ max: 999 });
const randomCall: fc.Arbitrary<Random> = fc.record({ tool: nat, one: nat, other: nat, value: nat });

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

/** By tool: the input of a random call. */
function inputs(ids: Ids, { one, other, value }: Random): Record<string, object> {
  const reason = `Reason ${value}`;
  const date = daysAgo(-1 - (value % 300));
  const owner = pick([{ owner_id: 'ME' }, { owner_id: null }, {}], other);
  const [rating, second] = [1 + (value % 5), 1 + (other % 5)];
  const all = [...ids.risk, ...ids.vendor, ...ids.measure, ...ids.obligation, ...ids.nonconformity];
  const [a, b] = [pick(all, one), pick(ids.control, other)];
  const link = { from_id: a, to_id: pick(ids.measure.concat(ids.control), other) };
  const pair = {
    from_id: pick(ids.control, one),
    to_id: b,
    relation: pick(['EQUIVALENT', 'SUPPORTS', 'PARTLY'], value),
  };
  const status = <T>(states: readonly T[]) => pick(states, value);
  return {
    addRisk: { name: `Risk ${value}`, inherent_likelihood: rating, inherent_impact: second, reason, ...owner },
    updateRisk: pick(
      [
        { inherent_likelihood: rating, inherent_impact: second, residual_likelihood: null, residual_impact: null },
        { name: `Other ${value}`, description: value % 2 ? null : 'Text', next_review_due: date, ...owner },
        { status: status(['OPEN', 'IN_TREATMENT']), treatment: status(['MITIGATED', 'AVOIDED', null]) },
      ],
      other,
    ),
    decideRisk: { decision: status(['ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN']), until: date },
    addVendor: { name: `Vendor ${value}`, status: status(['PENDING_REVIEW', 'SUSPENDED']) },
    updateVendor: pick(
      [{ criticality: 'HIGH', next_review_due: date }, { status: 'SUSPENDED' }, { country: `C${value}`, ...owner }],
      other,
    ),
    reviewVendor: pick<object>(
      [
        { outcome: 'APPROVED', findings: `Seen ${value}` },
        { outcome: 'REJECTED', next_review_due: date },
        { withdraw: true },
      ],
      other,
    ),
    addMeasure: { name: `Measure ${value}`, state: status(['NOT_STARTED', 'IMPLEMENTED']) },
    updateMeasure: pick<object>(
      [
        { state: status(['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED']) },
        { state: 'NOT_APPLICABLE', justification: `Why ${value}` },
        { due_date: date, ...owner },
      ],
      other,
    ),
    addEvidence: { name: `Evidence ${value}`, text: `Text ${value}`, valid_until: date, record_ids: [a, b] },
    addObligation: { requirement: `Requirement ${value}`, status: status(['NOT_ASSESSED', 'COMPLIANT']) },
    updateObligation: pick<object>(
      [
        { status: status(['COMPLIANT', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT']) },
        { last_review_date: daysAgo(value) },
        { area: `Area ${value}`, due_date: date },
        { withdraw: true },
      ],
      other,
    ),
    addNonconformity: { description: `Finding ${value}`, audit_id: pick(ids.audit, one) },
    updateNonconformity: pick<object>(
      [
        { status: 'IN_PROGRESS' },
        { status: 'CLOSED', root_cause: 'A', corrective_action: 'B', effectiveness_check: 'C' },
        { status: 'OPEN' },
        { audit_id: pick([null, ...ids.audit], value), severity: status(['MAJOR', 'MINOR']) },
      ],
      other,
    ),
    addFramework: { name: `Framework ${value}`, controls: [{ section_title: '1', name: 'One' }] },
    updateControl: pick<object>(
      [
        { status: 'EXCLUDED', exclusion_justification: `Why ${value}` },
        { status: 'INCLUDED' },
        { description: `Text ${value}`, ...owner },
      ],
      other,
    ),
    addAudit: { name: `Audit ${value}`, framework_id: pick(ids.framework, one) },
    updateAudit: pick<object>(
      [
        { state: status(['IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED']) },
        { auditor: `House ${value}`, starts_on: daysAgo(value) },
        { framework_id: pick(ids.framework, value) },
      ],
      other,
    ),
    linkRecords: pick<object>(
      [
        { links: [link], action: 'LINK' },
        { links: [link], action: 'UNLINK' },
        { links: [pair], action: 'LINK' },
        { links: [{ from_id: pair.from_id, to_id: b }], action: 'UNLINK' },
      ],
      value,
    ),
    archiveRecords: {
      ids: [...new Set([a, pick([...ids.framework, ...ids.audit, ...ids.control], other)])],
      action: status(['ARCHIVE', 'RESTORE']),
    },
    importRecords: pick<object>(
      [
        { type: 'VENDOR', rows: [{ name: `New ${value}` }, { id: pick(ids.vendor, one), country: `I${value}` }] },
        {
          type: 'RISK',
          rows: [{ name: `New ${value}`, status: 'ACCEPTED', accepted_until: date, acceptance_reason: 'r' }],
        },
        { type: 'CONTROL', rows: [{ id: b, description: `Imported ${value}` }] },
        { type: 'CROSSWALK', rows: [{ from_control: pair.from_id, to_control: b, relation: pair.relation }] },
      ],
      value,
    ),
  };
}

/** Adds two records of each family, and two frameworks. */
async function seed(call: CallTool): Promise<Ids> {
  const add = async (tool: string, input: object) => {
    const answer = await call(tool, input);
    assert.not('error' in answer, `${tool}: ${JSON.stringify(answer)}`);
    return (Object.values(answer)[0] as { id: string }).id;
  };
  const two = async (tool: string, input: (index: number) => object) => [
    await add(tool, input(1)),
    await add(tool, input(2)),
  ];
  const controls = ['1', '2'].map((section_title) => ({ section_title, name: `Control ${section_title}` }));
  const framework = await two('addFramework', (index) => ({ name: `Rules ${index}`, controls }));
  return {
    framework,
    control: framework.flatMap((id) => ['000', '001'].map((place) => `ctl_${id.slice(4)}${place}`)),
    audit: await two('addAudit', (index) => ({ name: `Audit ${index}`, framework_id: framework[0] })),
    risk: await two('addRisk', (index) => ({ name: `Risk ${index}`, inherent_likelihood: 3, inherent_impact: 3 })),
    vendor: await two('addVendor', (index) => ({ name: `Vendor ${index}` })),
    measure: await two('addMeasure', (index) => ({ name: `Measure ${index}` })),
    obligation: await two('addObligation', (index) => ({ requirement: `Requirement ${index}` })),
    nonconformity: await two('addNonconformity', (index) => ({ description: `Finding ${index}` })),
  };
}

/** Returns the records with their links, without what every change of a record changes. */
async function snapshot(call: CallTool, ids: readonly string[]): Promise<Record<string, unknown>> {
  const { records } = (await call('getRecords', { ids, include: ['LINKS', 'EVIDENCE', 'ARCHIVED'] })) as unknown as {
    records: Answer[];
  };
  const byId = (linked: unknown) => {
    const { records: list } = (linked ?? { records: [] }) as { records: Answer[] };
    return list.filter(({ archived_at }) => !archived_at).toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  };
  const entries = records.map(({ revision: _revision, updated_at: _updated, links, evidence, ...fields }) => [
    String(fields.id),
    {
      ...fields,
      links: byId(links).map(({ id, relation }) => [id, relation]),
      evidence: byId(evidence).map(({ id }) => id),
    },
  ]);
  return Object.fromEntries(entries);
}

/** Random calls that wrote something, and the records that they added. */
interface Made {
  callIds: string[];
  added: string[];
  /** The calls, for messages. */
  texts: string[];
}

async function makeCalls(call: CallTool, ids: Ids, randoms: readonly Random[]): Promise<Made> {
  const made: Made = { callIds: [], added: [], texts: [] };
  for (const random of randoms) {
    const byTool = inputs(ids, random);
    const tool = pick(Object.keys(byTool), random.tool);
    const [, family] = /^(?:update|decide|review)(.*)/.exec(tool) ?? [];
    const id = family && pick(ids[family.toLowerCase() as keyof Ids], random.one);
    const input = { ...(id ? { id } : {}), reason: 'r', ...byTool[tool] };
    const answer = await call(tool, input);
    const { call_id, event_types } = answer as { call_id?: string; event_types?: string[] };
    if ('error' in answer || call_id === undefined || event_types?.length === 0) continue;
    made.callIds.push(call_id);
    made.texts.push(`${tool} ${JSON.stringify(input)}`);
    if (tool.startsWith('add')) made.added.push((Object.values(answer)[0] as { id: string }).id);
    const { rows = [] } = answer as { rows?: { id?: string; result?: string }[] };
    made.added.push(...rows.filter(({ result }) => result === 'CREATED').flatMap(({ id: rowId }) => rowId ?? []));
  }
  return made;
}

async function assertSame(call: CallTool, before: Record<string, unknown>, texts: readonly string[]): Promise<void> {
  const after = await snapshot(call, Object.keys(before));
  for (const id of Object.keys(before)) {
    const [is, was] = [after[id], before[id]].map((record) => JSON.stringify(record));
    assert.is(is, was, `${texts.join('\n')}\n${id} was ${was}\nand is ${is}`);
  }
}

/** Makes random calls and undoes them, the newest first. Returns the number of calls that wrote something. */
async function callAndUndo(call: CallTool, ids: Ids, randoms: readonly Random[]): Promise<number> {
  const all = Object.values(ids).flat();
  const before = await snapshot(call, all);
  const { callIds, added, texts } = await makeCalls(call, ids, randoms);
  const after = await snapshot(call, all);
  let undone = 0;
  for (const [index, call_id] of callIds.reverse().entries()) {
    const undoId = await undo(call, call_id);
    if (undoId === null) continue;
    undone += 1;
    if (index > 0) continue;
    // The undo is a call like any other.
    const redoId = await undo(call, undoId);
    await assertSame(call, after, texts);
    await undo(call, redoId!);
  }
  await assertSame(call, before, texts);
  for (const id of added) {
    const { records } = (await call('getRecords', { ids: [id], include: ['ARCHIVED'] })) as unknown as {
      records: Answer[];
    };
    assert.ok(records[0]!.archived_at, `${id} is archived: ${texts.join('\n')}`);
  }
  return undone;
}

/** Undoes a call. Returns the undo's own id; null if the call wrote nothing, such as an import of rows that were imported before. */
async function undo(call: CallTool, call_id: string): Promise<string | null> {
  const input = { undo: { call_id } };
  const dryRun = (await call('importRecords', { ...input, dry_run: true })) as UndoAnswer;
  const { error } = dryRun as { error?: { code: string } };
  if (error?.code === 'not_found') return null;
  assert.is(error, undefined, JSON.stringify(dryRun));
  assert.is(dryRun.skipped, undefined, JSON.stringify(dryRun));
  const answer = (await call('importRecords', { ...input, selection: dryRun.selection })) as UndoAnswer;
  assert.not('error' in answer, JSON.stringify(answer));
  assert.is(answer.call_id, dryRun.call_id);
  return answer.call_id!;
}

const calls = (minLength: number, maxLength: number) => fc.array(randomCall, { minLength, maxLength });

/** Undoes random calls after others that stay, until as many as asked for have written something. */
export async function undoRandomCalls(callTool: CallTool, organization_id: string, count: number): Promise<void> {
  const namesRecords = (input: object) => ['id', 'ids', 'links'].some((name) => name in input);
  const call: CallTool = (tool, input) => callTool(tool, namesRecords(input) ? input : { organization_id, ...input });
  const ids = await seed(call);
  let undone = 0;
  const property = fc.asyncProperty(calls(0, 2), calls(1, 6), async (staying, undoing) => {
    if (undone >= count) return;
    await makeCalls(call, ids, staying);
    undone += await callAndUndo(call, ids, undoing);
  });
  await fc.assert(property, { numRuns: count, endOnFailure: true });
  assert.ok(undone >= count, `${undone} calls`);
}
