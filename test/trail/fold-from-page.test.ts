import { readdirSync, readFileSync, rmSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRegister, type Register } from '../../src/app/create-register.ts';
import { ServiceClock } from '../../src/clock/service-clock.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import type { OrganizationState } from '../../src/commands/organization/organization.ts';
import { proposalAggregate } from '../../src/commands/proposal.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { AccountNames } from '../../src/identity/accounts/account-names.ts';
import { exportLines } from '../../src/queries/files/export-lines.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { derivedHistory } from '../support/histories/derived-histories.ts';
import { playHistory } from '../support/histories/derived-player.ts';
import { callerAs, closeStores, openStores, SILENT_LOG, type Stores, temporaryFolder } from '../support/register.ts';
import { FoldedExport, type FoldedRecord } from '../support/trail/fold-from-page.ts';

/*
 * docs/trail-format.md must be enough to rebuild every record from an export. The fold was written from the page alone.
 * Where it differs from the service's answers, the page is to be corrected, not the fold alone.
 */

const IDS_PER_CALL = 50;
const LINKS_IN_ANSWER = 100;
/** Random histories per run. */
const RUNS = 3;
const FIXTURES = new URL('../fixtures/', import.meta.url);

/** Fields of answers that follow from other fields, other records or the day. */
const DERIVED_FIELD =
  /_count$|score$|overdue$|expired$|^(type|owner|priority|coverage|implementation|certificate_valid|replaced)$/;
const CONNECTION_FIELDS = ['links', 'evidence', 'record_ids'];

interface Answers {
  records: Answer[];
  omitted: string[];
}

interface Answer extends FoldedRecord {
  links: { records: { id: string; relation?: string }[]; total: number };
  evidence: { records: { id: string }[]; total: number };
  record_ids?: string[];
  record_count?: number;
}

const test = suite('records rebuilt from an export by the page');

/** Fills stores, and compares each organization's records, folded from its export, with the register's answers. */
async function compareWithAnswers(fill: (stores: Stores) => Promise<unknown>, positionsOf: (end: number) => number[]) {
  const folder = temporaryFolder();
  const stores = openStores(folder);
  await fill(stores);
  const register = createRegister({
    ...stores,
    names: new AccountNames(stores.accounts),
    clock: new ServiceClock(),
    exclusive: true,
    cursorKey: Buffer.from('a key for tests'),
    riskAcceptanceMaxDays: 366,
    writeWaitMs: 5_000,
    log: SILENT_LOG,
  });
  try {
    await register.projections.start('installation');
    await register.projections.progress.waitUntilCaughtUp(Date.now(), 20_000);
    for (const organizationId of await organizationsIn(stores)) {
      const lines = await collectExport(stores, organizationId);
      const { state } = await register.handler.load(organizationAggregate(organizationId));
      // The recorded events of relations have no organization of their own.
      const whole = new FoldedExport(lines);
      if (state !== null) assertOrganization(whole, state);
      for (const [stream, folded] of whole.proposals) {
        const { state: stored } = await register.handler.load(proposalAggregate(stream.slice('proposal-'.length)));
        assert.equal({ ...stored, ...folded }, stored, stream);
      }
      for (const position of positionsOf(lines.length - 2)) {
        await assertRecords(register, organizationId, new FoldedExport(lines, position), position);
      }
    }
  } finally {
    await register.projections.stop();
    await closeStores(stores);
    rmSync(folder, { recursive: true });
  }
}

async function organizationsIn({ events }: Stores): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const batch of events.readAll(null)) for (const { metadata } of batch) ids.add(metadata.organization_id);
  return ids;
}

async function collectExport({ events }: Stores, organizationId: string): Promise<string[]> {
  const lines: string[] = [];
  const options = { events, organizationId, installation: 'installation', now: () => new Date() };
  for await (const batch of exportLines(options)) lines.push(...batch);
  return lines;
}

function assertOrganization({ organization }: FoldedExport, state: OrganizationState): void {
  const { former: _former, tokens, ...stored } = state;
  assert.equal(organization, { ...stored, tokens: Object.fromEntries(tokens.entries()) });
}

/** Compares all records at a position: once with archived records, and once without. */
async function assertRecords({ tools }: Register, organizationId: string, folded: FoldedExport, position: number) {
  const caller = callerAs('OWNER', { roles: new Map([[organizationId, 'OWNER']]) });
  for (const extraParts of [['ARCHIVED'], []]) {
    const expected = folded.ids().filter((id) => extraParts.length > 0 || folded.record(id).archived_at === null);
    const comparedIds: string[] = [];
    let ids = expected;
    while (ids.length > 0) {
      const include = ['LINKS', 'EVIDENCE', ...extraParts];
      const input = { organization_id: organizationId, ids: ids.slice(0, IDS_PER_CALL), include, as_of: `${position}` };
      const { records, omitted } = JSON.parse((await tools.call('getRecords', input, { caller })).json) as Answers;
      for (const record of records) assertRecord(folded, record, extraParts.length > 0);
      comparedIds.push(...records.map(({ id }) => id));
      ids = [...omitted, ...ids.slice(IDS_PER_CALL)];
    }
    assert.equal(comparedIds.sort(), expected.sort());
  }
}

/** Evidence derives its kind; audits state theirs. */
const isDerived = ({ type }: Answer, field: string): boolean =>
  DERIVED_FIELD.test(field) || (type === 'EVIDENCE' && field === 'kind');

function assertRecord(folded: FoldedExport, answer: Answer, withArchived: boolean): void {
  const record = folded.record(answer.id);
  const { expired: _expired, ...acceptance } = (answer.acceptance ?? {}) as Record<string, unknown>;
  if (answer.acceptance) answer.acceptance = acceptance;
  const fields = Object.keys(answer).filter((field) => !isDerived(answer, field) && !CONNECTION_FIELDS.includes(field));
  assert.equal(Object.fromEntries(fields.map((field) => [field, answer[field]])), record);
  const { evidence, others } = folded.connectedTo(answer.id, withArchived);
  assertListed(answer.evidence, evidence, `evidence of ${answer.id}`);
  assertListed(answer.links, others, `links of ${answer.id}`);
  for (const { id, relation } of answer.links.records) assert.is(relation, folded.relation(answer.id, id), id);
  if (answer.record_ids === undefined) return;
  assert.equal([...answer.record_ids].sort(), folded.connectedTo(answer.id).others);
}

/** Long lists are cut, but their total isn't. */
function assertListed({ records, total }: Answer['links'], expected: readonly string[], name: string): void {
  assert.is(total, expected.length, name);
  const ids = records.map(({ id }) => id);
  assert.ok(
    ids.every((id) => expected.includes(id)),
    name,
  );
  if (total <= LINKS_IN_ANSWER && !('truncated' in records)) assert.is(ids.length, total, name);
}

/** Appends events one by one, in order. */
async function appendAll({ events }: Stores, log: readonly TrailEvent[]): Promise<void> {
  for (const event of log) await events.append(event.stream, [event], event.revision - 1);
}

function recordedEvents(): TrailEvent[] {
  const files = readdirSync(FIXTURES).filter((file) => /^events-.*\.jsonl$/.test(file));
  const lines = files.flatMap((file) => readFileSync(new URL(file, FIXTURES), 'utf8').trimEnd().split('\n'));
  return lines.map((line) => JSON.parse(line) as TrailEvent);
}

test('records of the demo, at its end and in between', () => {
  return compareWithAnswers(
    (stores) => fillDemo(stores, new Date()),
    (end) => [Math.floor(end / 2), end],
  );
});

test('records of all types of events that were ever recorded', () => {
  return compareWithAnswers(
    (stores) => appendAll(stores, recordedEvents()),
    (end) => [end],
  );
});

test('records of random histories', async () => {
  const isEqual = fc.asyncProperty(derivedHistory(150), async (steps) => {
    const { store } = await playHistory(steps);
    await compareWithAnswers(
      (stores) => appendAll(stores, store.log),
      (end) => [end],
    );
  });
  await fc.assert(isEqual, { numRuns: RUNS, includeErrorInReport: true });
});

test.run();
