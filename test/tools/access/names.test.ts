/** Names in answers: an actor has the name at the time of the act, an owner has the name at the moment that is read. */
import * as assert from 'uvu/assert';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { type Answer, callerAs, envelopeFor, ORGANIZATION, OWNER, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';
import { until } from '../../support/run/wait.ts';

const EDITOR = 'acc_00000000000000000000ED1T0R';
const NAMESAKE = 'acc_0000000000000000000NAMESAK';
const organization_id = ORGANIZATION;

const test = registerSuite('names of people', 'EACH');

async function ok(register: TestRegister, tool: string, args: object, account = OWNER): Promise<Answer> {
  const role = account === OWNER ? 'OWNER' : 'EDITOR';
  const answer = await register.call(tool, args, callerAs(role, { account_id: account }));
  assert.is(answer.error, undefined, `${tool}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Renames an account, at a time between all earlier and all later events. */
async function rename({ names, stores: { accounts } }: TestRegister, id: string, name: string): Promise<void> {
  const tick = async () => {
    const now = Date.now();
    await until(() => Date.now() > now, 1_000, 'the clock has advanced');
  };
  await tick();
  await names.record(id, name, new Date().toISOString());
  await accounts.update('accounts', id, { name });
  await tick();
}

async function addMember({ names, stores, handler }: TestRegister, account_id: string, name: string): Promise<void> {
  await stores.accounts.insert('accounts', { id: account_id, name });
  await names.recordFirst(account_id, name);
  const command = { type: 'AddMember', account_id, role: 'EDITOR' } as const;
  await handler.execute(organizationAggregate(ORGANIZATION), command, envelopeFor());
}

/** Accepts a risk under one name and reviews a vendor under another. Returns both positions. */
async function actUnderTwoNames(register: TestRegister): Promise<{ first: string; last: string }> {
  const { risk } = await ok(register, 'addRisk', { organization_id, name: 'Flood', owner_id: 'ME' });
  const { id } = risk as { id: string };
  const acceptedUntil = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const accept = { id, decision: 'ACCEPT', until: acceptedUntil, reason: 'The river is far' };
  const first = String((await ok(register, 'decideRisk', accept)).position);
  await rename(register, OWNER, 'Olivia Married');
  const { vendor } = await ok(register, 'addVendor', { organization_id, name: 'Nimbus', owner_id: 'ME' });
  const review = { id: (vendor as { id: string }).id, outcome: 'APPROVED' };
  return { first, last: String((await ok(register, 'reviewVendor', review)).position) };
}

const report = async (register: TestRegister, args: object) =>
  (await ok(register, 'getReport', { organization_id, ...args })).report as Answer & { content: string };

/** Returns a report without the time of its generation. */
const withoutGenerationTime = ({ generated_at: _, content, ...rest }: Answer) =>
  JSON.stringify([rest, String(content).replace(/Generated .*|generated_at.*/g, '')]);

test('changes and reports show an actor’s name at that time', async ({ register }) => {
  const { first, last } = await actUnderTwoNames(register);
  const { changes } = (await ok(register, 'listChanges', { organization_id, size: 100 })) as unknown as {
    changes: { position: string; actor: { name: string } }[];
  };
  for (const { position, actor } of changes) {
    assert.is(actor.name, Number(position) <= Number(first) ? 'Olivia Owner' : 'Olivia Married', position);
  }
  const risks = await report(register, { type: 'RISK_REGISTER', as_of: last, format: 'CSV' });
  assert.match(risks.content, `,Olivia Owner,${OWNER},`);
  assert.match(risks.content, `,Olivia Married,${OWNER},`);
  const changesReport = await report(register, { type: 'CHANGES_BETWEEN', from: '1', as_of: last });
  assert.match(changesReport.content, /RiskAccepted.*Olivia Owner/);
  assert.match(changesReport.content, /VendorReviewed.*Olivia Married/);
  assert.not.match(changesReport.content, /VendorReviewed.*Olivia Owner/);
  assert.match(
    changesReport.content,
    '- Names: People’s names are those at the time of the event. The digest does not cover them.',
  );
});

test('an owner’s name is the one at the moment that is read', async ({ register }) => {
  const { first } = await actUnderTwoNames(register);
  const list = async (extraInput: object) =>
    (
      (await ok(register, 'listRisks', { organization_id, view: 'FULL', ...extraInput })).risks as { owner: string }[]
    )[0]!.owner;
  assert.is(await list({}), 'Olivia Married');
  assert.is(await list({ as_of: first }), 'Olivia Owner');
  const { risks } = await ok(register, 'listRisks', { organization_id });
  const [id] = (risks as { id: string }[]).map((risk) => risk.id);
  const { records } = await ok(register, 'getRecords', { ids: [id], as_of: first });
  assert.is((records as { owner: string }[])[0]!.owner, 'Olivia Owner');
});

test('a report of one position is the same before and after a rename', async ({ register }) => {
  const { last } = await actUnderTwoNames(register);
  const all = [];
  for (const type of ['RISK_REGISTER', 'VENDORS']) {
    for (const format of ['JSON', 'MARKDOWN', 'CSV']) all.push({ type, format, as_of: last });
  }
  const before = await Promise.all(all.map((args) => report(register, args)));
  await rename(register, OWNER, 'Somebody Else');
  for (const [n, args] of all.entries()) {
    assert.is(
      withoutGenerationTime(await report(register, args)),
      withoutGenerationTime(before[n]!),
      JSON.stringify(args),
    );
  }
  const json = before[0]!.people as Record<string, string>;
  assert.is(json[OWNER], 'Olivia Married');
  const [[key, name] = []] = Object.entries(json).filter(([personKey]) => personKey.includes('@'));
  assert.match(String(key), new RegExp(`^${OWNER}@\\d{4}-.*Z$`));
  assert.is(name, 'Olivia Owner');
});

test('only accounts of one organization that ever shared a name get a distinguishing id', async ({ register }) => {
  await addMember(register, EDITOR, 'Olivia  OWNER');
  const add = { organization_id, name: 'Oldwick', owner_id: EDITOR };
  const { vendor } = await ok(register, 'addVendor', add);
  assert.is((vendor as { owner: string }).owner, 'Olivia  OWNER (…D1T0R)');
  await rename(register, EDITOR, 'Edith');
  // An account with the same name in another organization makes no difference.
  await register.stores.accounts.insert('accounts', { id: NAMESAKE, name: 'Edith' });
  await register.names.recordFirst(NAMESAKE, 'Edith');
  const { organizations } = await ok(register, 'listOrganizations', { include_members: true });
  const { members } = (organizations as { members: { name: string }[] }[])[0]!;
  assert.equal(members.map(({ name }) => name).sort(), ['Edith', `Olivia Owner (…${OWNER.slice(-5)})`]);
});

test('an account that was never a member is not named anywhere', async ({ register }) => {
  await register.stores.accounts.insert('accounts', { id: NAMESAKE, name: 'Nadia Elsewhere' });
  await register.names.recordFirst(NAMESAKE, 'Nadia Elsewhere');
  const texts = { name: NAMESAKE, category: NAMESAKE, reference_id: NAMESAKE, description: NAMESAKE };
  const { position } = await ok(register, 'addRisk', { organization_id, ...texts, owner_id: 'ME' });
  const as_of = String(position);
  for (const format of ['JSON', 'MARKDOWN', 'CSV']) {
    for (const extraInput of [{ type: 'RISK_REGISTER' }, { type: 'CHANGES_BETWEEN', from: '1' }]) {
      const text = JSON.stringify(await report(register, { ...extraInput, as_of, format }));
      assert.match(text, NAMESAKE);
      assert.match(text, 'Olivia Owner');
      assert.not.match(text, 'Nadia');
    }
  }
});

test('all names of an erased account become “former member”', async ({ register }) => {
  const { last } = await actUnderTwoNames(register);
  await register.stores.accounts.put('accounts', { id: OWNER, erased_at: new Date().toISOString() });
  await register.names.erase(OWNER);
  const { content } = await report(register, { type: 'CHANGES_BETWEEN', from: '1', as_of: last });
  assert.match(content, 'former member');
  assert.not.match(content, 'Olivia');
});

test.run();
