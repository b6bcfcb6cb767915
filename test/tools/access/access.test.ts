/** The access log as assistants read it. The tests write its past rows directly into the store. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import type { Role } from '../../../src/commands/organization/caller.ts';
import { AccessLog } from '../../../src/identity/access-log/access-log.ts';
import { Session } from '../../support/mcp/mcp-client.ts';
import { daysAgo } from '../../support/past.ts';
import { until } from '../../support/run/wait.ts';
import { type Pair, type ServedPair, serve, startPairs, withOpenPair } from '../../support/stores/pairs.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse(`${daysAgo(10)}T12:00:00.000Z`);
/** The time of a token's last use. */
const LAST = NOON + 7_200_000;
const CLIENT_INFO = { address: '203.0.113.7', agent: 'Mozilla/5.0 (Windows NT 10.0) Chrome/150.0 Safari/537.36' };
/** Only rows from before the service started, without its own. */
const STORED_FILTER = { record_types: ['ACCESS'], to: daysAgo(5) };

interface Context extends ServedPair {
  pair: Pair;
  /** The id of the owner's token. */
  tokenId: string;
  /** The id of an account that does not exist any more. */
  formerMember: string;
  list(filter?: object, extraInput?: object): Promise<Row[]>;
}

type Row = Awaited<ReturnType<Session['ok']>>['changes'][number];
const types = (rows: readonly Row[]) => rows.map(({ event_type }) => event_type);

/** Writes rows: on the first day the owner's and refusals, on the next a former member's, and one of another organization. */
async function storeRows(
  { pair, organizationId, accountId }: Context,
  formerMember: string,
  foreignId: string,
): Promise<string> {
  return withOpenPair(pair.env, async ({ accounts, tokens }) => {
    let time = NOON;
    const ownOrganization = [organizationId];
    const log = new AccessLog({
      accounts,
      organizationsOf: async () => ownOrganization,
      now: () => new Date(time),
      log: { warn: (details) => assert.unreachable(JSON.stringify(details)) },
    });
    const tokenId = (await tokens.list()).find(({ account_id }) => account_id === accountId)!.id;
    const roles = new Map([[organizationId, 'OWNER' as const]]);
    const caller = { account_id: accountId, token_id: tokenId, client: null, roles, members: roles, read_only: false };
    log.recordTokenUse(caller, 'Claude');
    time += 1_000;
    log.recordRefusal({ event_type: 'TOKEN_REFUSED', actor_id: null });
    time += 3_600_000;
    log.record({
      type: 'SIGN_IN_REFUSED',
      account_id: accountId,
      reason: 'WRONG_PASSWORD',
      clientInfo: CLIENT_INFO,
    });
    time += 1_000;
    log.record({ type: 'SIGNED_IN', account_id: accountId, factor: 'TOTP', clientInfo: CLIENT_INFO });
    time = LAST;
    log.recordTokenUse(caller, 'Claude');
    log.recordAccess({
      event_type: 'SIGNED_IN',
      actor_id: randomId('acc'),
      organizations: [foreignId],
      clientInfo: CLIENT_INFO,
    });
    time += DAY_MS;
    log.recordAccess({
      event_type: 'ASSISTANT_ALLOWED',
      actor_id: formerMember,
      organizations: ownOrganization,
      client: 'Claude',
    });
    await log.close();
    return tokenId;
  });
}

for (const pair of await startPairs()) {
  const test = suite<Context>(`access log, on ${pair.name}`);

  test.before(async (context) => {
    Object.assign(context, await serve(pair), { pair, formerMember: randomId('acc') });
    const foreignOrganization = await context.foreignOrganization();
    context.tokenId = await storeRows(context, context.formerMember, foreignOrganization.id);
    context.list = async (filter = {}, extraInput = {}) => {
      const input = { organization_id: context.organizationId, filter: { ...STORED_FILTER, ...filter }, ...extraInput };
      const { total } = await context.owner.ok('listChanges', { ...input, view: 'COUNT' });
      const { changes } = await context.owner.ok('listChanges', input);
      if (!('size' in extraInput)) assert.is(total, changes.length, 'COUNT equals the length of the list');
      return changes;
    };
  });
  test.after((served) => served.close());

  test('listChanges lists sign-ins newest first, in the form of changes', async ({ list, accountId, formerMember }) => {
    const rows = await list();
    assert.equal(types(rows), ['ASSISTANT_ALLOWED', 'SIGNED_IN', 'SIGN_IN_REFUSED', 'TOKEN_REFUSED', 'TOKEN_USED']);
    const [allowed] = rows;
    assert.equal(allowed, {
      event_type: 'ASSISTANT_ALLOWED',
      record: { id: formerMember, type: 'ACCESS', name: 'former member' },
      recorded_at: new Date(LAST + DAY_MS).toISOString(),
      actor: { id: formerMember, kind: 'ACCOUNT', name: 'former member' },
      client: 'Claude',
      reason: null,
      changes: [],
    });
    const row = (type: string) => rows.find(({ event_type }) => event_type === type)!;
    const changesOf = (type: string) => row(type).changes.map(({ field, to }) => [field, to]);
    const owner = { id: accountId, kind: 'ACCOUNT', name: 'First owner' };
    assert.equal([row('SIGNED_IN').actor, row('SIGNED_IN').client], [owner, 'Chrome on Windows']);
    assert.equal(changesOf('SIGNED_IN'), [
      ['factor', 'TOTP'],
      ['address', '203.0.113.7'],
    ]);
    assert.equal([row('TOKEN_USED').actor.kind, row('TOKEN_USED').record.id], ['TOKEN', accountId]);
    assert.equal(changesOf('TOKEN_USED'), [
      ['count', 2],
      ['last_at', new Date(LAST).toISOString()],
    ]);
    const unknownActor = { id: 'UNKNOWN', kind: 'UNKNOWN', name: 'unknown' };
    assert.equal([row('SIGN_IN_REFUSED').actor, row('SIGN_IN_REFUSED').record.id], [unknownActor, accountId]);
    assert.equal([row('TOKEN_REFUSED').actor, row('TOKEN_REFUSED').record.id], [unknownActor, 'UNKNOWN']);
  });

  test('the access log is filtered by actor, event type and period', async ({
    list,
    accountId,
    tokenId,
    formerMember,
  }) => {
    assert.equal(
      types(await list({ actor_id: ['ME'] })).sort(),
      ['SIGNED_IN', 'SIGN_IN_REFUSED', 'TOKEN_USED'],
      'entries about the account, by any actor',
    );
    assert.equal(await list({ actor_id: [accountId] }), await list({ actor_id: ['ME'] }));
    assert.equal(types(await list({ actor_id: [tokenId, formerMember] })), ['ASSISTANT_ALLOWED', 'TOKEN_USED']);
    assert.equal(types(await list({ event_types: ['SIGNED_IN', 'TOKEN_USED'] })), ['SIGNED_IN', 'TOKEN_USED']);
    assert.equal(types(await list({ from: daysAgo(9) })), ['ASSISTANT_ALLOWED']);
    assert.is((await list({ to: daysAgo(10) })).length, 4);
    assert.equal(await list({ to: daysAgo(11) }), []);
    const last = new Date(LAST).toISOString();
    assert.equal(types(await list({ from: last, to: last })), ['TOKEN_USED'], 'also found by its last time');
  });

  test('the access log is read page by page, with its own cursors', async ({
    list,
    owner,
    organizationId: organization_id,
  }) => {
    const fullList = await list();
    const walked: Row[] = [];
    const input = { organization_id, filter: STORED_FILTER, size: 2 };
    let cursor: string | undefined;
    do {
      const page = await owner.ok('listChanges', { ...input, ...(cursor ? { cursor } : {}) });
      assert.equal(Object.keys(page).includes('as_of'), false);
      walked.push(...page.changes);
      cursor = page.next_cursor;
      if (cursor) {
        const otherInput = { ...input, filter: { ...STORED_FILTER, event_types: ['SIGNED_IN'] }, cursor };
        assert.is((await owner.refused('listChanges', otherInput)).field, 'cursor');
      }
    } while (cursor);
    assert.equal(walked, fullList);
  });

  for (const [what, args, field, code = 'invalid_input'] of [
    ['proofs', { verify: true }, 'verify'],
    ['a past state', { as_of: daysAgo(0) }, 'as_of'],
    ['other types beside', { filter: { record_types: ['ACCESS', 'VENDOR'] } }, 'filter.record_types'],
    ['a record', { filter: { ...STORED_FILTER, record_id: ['vnd_00000000000000000000000000'] } }, 'filter.record_id'],
    ['a position', { filter: { ...STORED_FILTER, to: '5' } }, 'filter.to'],
    ['no day', { filter: { ...STORED_FILTER, from: '2026-02-30' } }, 'filter.from'],
    ['an event of records', { filter: { ...STORED_FILTER, event_types: ['VendorAdded'] } }, 'filter.event_types'],
    ['a foreign organization', { organization_id: 'org_00000000000000000000000000' }, 'organization_id', 'not_found'],
  ] as const) {
    test(`the access log refuses ${what} and says why`, async ({ owner, organizationId: organization_id }) => {
      const error = await owner.refused('listChanges', { organization_id, filter: STORED_FILTER, ...args });
      assert.equal([error.code, error.field], [code, field]);
      assert.ok(error.message.length > 30);
    });
  }

  test('only OWNER, ADMIN and AUDITOR read the access log, an EDITOR not even with an AUDITOR’s token', async (served) => {
    const input = { organization_id: served.organizationId, filter: STORED_FILTER };
    for (const role of ['OWNER', 'ADMIN', 'AUDITOR'] as const) {
      assert.is((await (await served.as(role)).ok('listChanges', input)).changes.length, 5, role);
    }
    for (const role of ['EDITOR', 'VIEWER'] as const) {
      assert.is((await (await served.as(role)).refused('listChanges', input)).code, 'forbidden', role);
    }
    const may: [Role, boolean][] = [
      ['AUDITOR', true],
      ['EDITOR', false],
      ['VIEWER', false],
      ['ADMIN', true],
    ];
    for (const [role, allowed] of may) {
      const session = await auditorTokenOf(served, role);
      if (allowed) await session.ok('listChanges', input);
      else assert.is((await session.refused('listChanges', input)).code, 'forbidden', `of ${role}`);
    }
  });

  test('an organization’s access log shows nothing of another organization', async (served) => {
    const foreignOrganization = await served.foreignOrganization();
    const { changes } = await foreignOrganization.owner.ok('listChanges', {
      organization_id: foreignOrganization.id,
      filter: STORED_FILTER,
    });
    assert.equal(types(changes), ['TOKEN_REFUSED'], 'only refusals of unknown tokens are shared');
    assert.not.match(JSON.stringify(changes), /203\.0\.113|acc_|tok_|org_/);
  });

  test.run();
}

/** Returns a session of a member with this role, by a token limited to AUDITOR. */
async function auditorTokenOf({ pair, organizationId, addMember, url }: Context, member: Role): Promise<Session> {
  const account_id = await addMember(member, member);
  const role = member === 'VIEWER' ? 'VIEWER' : 'AUDITOR';
  const tokenRequest = { name: 'audit', account_id, role, organizations: [organizationId] } as const;
  const issued = await withOpenPair(pair.env, ({ tokens }) => tokens.create(tokenRequest));
  const session = new Session(url, issued.token);
  await until(async () => (await session.ok('listOrganizations')).organizations.length === 1);
  return session;
}
