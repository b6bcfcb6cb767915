/** Plays the session of an assistant with an address and a token, through any client. */
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { recordAggregate } from '../../../src/commands/families.ts';
import { createInstallation } from '../../../src/identity/installation/installation.ts';
import type { Item, Session } from '../mcp/mcp-client.ts';
import { type Pair, withOpenPair } from '../stores/pairs.ts';

const DAY_MS = 86_400_000;
const VENDORS = 7;
/** Names of the records that exist before the session. */
const KEPT = Array.from({ length: VENDORS }, (_, index) => `Kept ${index}`);

export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Writes two months of history into empty stores: vendors, one of them renamed later, and a risk whose acceptance ended
 * and whose review was due 40 days ago.
 */
export async function writeHistory(pair: Pair): Promise<void> {
  let day = 60;
  const now = () => new Date(Date.now() - day * DAY_MS);
  await withOpenPair(
    pair.env,
    async ({ accounts, events, handler }) => {
      const parts = { accounts, log: events, handler, now };
      const { organizationId } = await createInstallation(parts, { organization: 'Acme', owner: 'Olivia' });
      const execute = async (id: string, command: object) => {
        await handler.execute(recordAggregate(id), command, {
          organization_id: organizationId,
          actor_id: 'SYSTEM',
          token_id: null,
          client: null,
          role: 'OWNER',
          command_id: crypto.randomUUID(),
          correlation_id: crypto.randomUUID(),
          input: command,
        });
      };
      const vendors = KEPT.map((name) => ({ id: randomId('vnd'), name }));
      for (const { id, name } of vendors) await execute(id, { type: 'AddVendor', fields: { name } });
      const flood = randomId('rsk');
      const fields = { name: 'Flood', inherent_likelihood: 5, inherent_impact: 5, next_review_due: daysAgo(40) };
      await execute(flood, { type: 'AddRisk', fields });
      const decision = { decision: 'ACCEPT', until: daysAgo(40), reason: 'A dam is being built' };
      await execute(flood, { type: 'DecideRisk', ...decision });
      day = 10;
      await execute(vendors[0]!.id, { type: 'UpdateVendor', changes: { name: 'Kept but renamed' } });
    },
    now,
  );
}

/** Plays the session on stores with `writeHistory` in them. It may run several times. */
export async function playStory(session: Session): Promise<void> {
  const { organizations } = await session.ok('listOrganizations');
  assert.is(organizations.length, 1);
  const organization_id = organizations[0]!.id;
  const mark = Math.random().toString(36).slice(2, 10);

  const vendor = await addAndReview(session, organization_id, mark);
  const { risk, before, open } = await addAndDecide(session, organization_id, mark);
  await page(session, organization_id, vendor);
  await readPast(session, organization_id, risk, before, open);
  await readChanges(session, organization_id, vendor, risk);
}

async function addAndReview(session: Session, organization_id: string, mark: string): Promise<Item> {
  const vendorAnswer = await session.ok('addVendor', {
    organization_id,
    name: `Nimbus ${mark}`,
    description: 'Hosts our backups',
    criticality: 'HIGH',
    owner_id: 'ME',
  });
  assert.is(vendorAnswer.vendor.status, 'PENDING_REVIEW');
  assert.equal(vendorAnswer.event_types, ['VendorAdded']);
  const { id } = vendorAnswer.vendor;
  const reviewed = await session.ok('reviewVendor', {
    id,
    outcome: 'CONDITIONAL',
    conditions: 'A contract on data processing until spring',
    expected_revision: vendorAnswer.revision,
    reason: 'Yearly review',
  });
  assert.is(reviewed.vendor.status, 'CONDITIONAL');
  assert.is(reviewed.vendor.next_review_due, daysAgo(-365));
  assert.ok(Number(reviewed.position) > Number(vendorAnswer.position));
  return reviewed.vendor;
}

async function addAndDecide(session: Session, organization_id: string, mark: string) {
  const riskAnswer = await session.ok('addRisk', {
    organization_id,
    name: `Backups fail ${mark}`,
    inherent_likelihood: 3,
    inherent_impact: 4,
  });
  assert.is(riskAnswer.risk.priority, 'HIGH');
  const open = await session.ok('listRisks', { organization_id, filter: { status: ['OPEN'] }, view: 'COUNT' });
  const until = daysAgo(-90);
  const decided = await session.ok('decideRisk', {
    id: riskAnswer.risk.id,
    decision: 'ACCEPT',
    until,
    reason: 'Cheaper than a second site',
  });
  assert.is(decided.risk.status, 'ACCEPTED');
  assert.equal([(decided.risk.acceptance as { until: string }).until, decided.risk.treatment], [until, 'ACCEPTED']);
  return { risk: decided.risk, before: riskAnswer.position, open: open.total };
}

/** Reads both lists, filtered, page by page. Each record must appear once. */
async function page(session: Session, organization_id: string, vendor: Item): Promise<void> {
  const input = { organization_id, filter: { query: 'kept' }, size: 3 };
  const vendors = await session.walk('listVendors', 'vendors', input);
  assert.equal(
    vendors.map(({ name }) => name),
    ['Kept 1', 'Kept 2', 'Kept 3', 'Kept 4', 'Kept 5', 'Kept 6', 'Kept but renamed'],
  );
  const filter = { status: ['CONDITIONAL'], criticality: ['HIGH'], owner_id: ['ME'] };
  const conditional = await session.walk('listVendors', 'vendors', { organization_id, filter, size: 1 });
  assert.ok(conditional.some((item) => item.id === vendor.id));
  const order_by = { field: 'score', direction: 'DESC' };
  const risks = await session.walk('listRisks', 'risks', {
    organization_id,
    filter: { priority: ['HIGH', 'CRITICAL'] },
    order_by,
    size: 1,
  });
  const scores = risks.map(({ score }) => Number(score));
  assert.is(scores[0], 25);
  assert.equal(
    scores,
    scores.toSorted((a, b) => b - a),
  );
}

/** Reads the past by a date of last month, and by the position of an earlier answer. */
async function readPast(session: Session, organization_id: string, risk: Item, before: string, open: number) {
  const date = daysAgo(30);
  const lastMonth = await session.ok('listVendors', { organization_id, as_of: date });
  assert.equal(
    lastMonth.vendors.map(({ name }) => name),
    KEPT,
  );
  assert.is(lastMonth.as_of?.date, date);
  const sameList = await session.ok('listVendors', { organization_id, as_of: lastMonth.as_of!.position });
  assert.equal(sameList.vendors, lastMonth.vendors);
  const risks = await session.ok('listRisks', { organization_id, as_of: `${date}T12:00:00Z` });
  assert.equal(
    risks.risks.map(({ name }) => name),
    ['Flood'],
  );
  const filter = { status: ['OPEN'] };
  const moment = await session.ok('listRisks', { organization_id, filter, as_of: before, view: 'COUNT' });
  assert.is(moment.total, open);
  const { records } = await session.ok('getRecords', { ids: [risk.id], as_of: before });
  assert.equal([records[0]!.status, records[0]!.acceptance], ['OPEN', null]);
}

async function readChanges(session: Session, organization_id: string, vendor: Item, risk: Item): Promise<void> {
  const filter = { record_id: [vendor.id, risk.id] };
  const { changes, verification } = await session.ok('listChanges', { organization_id, filter, verify: true });
  assert.equal(
    changes.map(({ event_type }) => event_type),
    ['RiskAccepted', 'RiskAdded', 'VendorReviewed', 'VendorAdded'],
  );
  const [accepted, , reviewed] = changes;
  assert.is(accepted?.reason, 'Cheaper than a second site');
  assert.is(reviewed?.actor.name, 'Olivia');
  assert.equal(
    reviewed?.changes.find(({ field }) => field === 'status'),
    { field: 'status', from: 'PENDING_REVIEW', to: 'CONDITIONAL' },
  );
  assert.is(verification.verdict, 'VALID');
  assert.is(verification.events, 4);
}
