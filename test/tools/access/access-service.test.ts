/** Access-log entries of a running service, and their limit for repeated bad tokens. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessLogRow } from '../../../src/identity/access-log/access-log-row.ts';
import { generateToken } from '../../../src/identity/tokens/token.ts';
import { until } from '../../support/run/wait.ts';
import { embeddedPair, type Pair, type ServedPair, serve, withOpenPair } from '../../support/stores/pairs.ts';

interface Context extends ServedPair {
  pair: Pair;
  bad: string[];
  statuses: number[];
}

const PARALLEL_REQUESTS = 20;
/** More than two write intervals of the log. */
const LOG_WRITE_TIMEOUT_MS = 15_000;

const test = suite<Context>('access log of a running service');

test.before(async (context) => {
  const pair = embeddedPair();
  Object.assign(context, await serve(pair), { pair });
  context.bad = ['vtr_nonsense', ...Array.from({ length: 10 * PARALLEL_REQUESTS - 1 }, () => generateToken())];
  context.statuses = [];
  for (let i = 0; i < context.bad.length; i += PARALLEL_REQUESTS) {
    const tokens = context.bad.slice(i, i + PARALLEL_REQUESTS);
    context.statuses.push(...(await Promise.all(tokens.map((token) => statusOf(context.url, token)))));
  }
});
test.after((served) => served.close());

async function statusOf(url: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/api/mcp/v1`, { method: 'POST', headers, body: '{}' });
  await answer.text();
  return answer.status;
}

test('many bad tokens become one access-log row without an account', async ({ owner, organizationId, statuses }) => {
  const refusal = statuses.filter((status) => status === 401).length;
  assert.ok(refusal > 0 && statuses.every((status) => [401, 429].includes(status)));
  const filter = { record_types: ['ACCESS'], event_types: ['TOKEN_REFUSED'] };
  const rows = await until(
    async () => {
      const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter });
      return countOf(changes.flatMap((row) => row.changes)) === refusal && changes;
    },
    LOG_WRITE_TIMEOUT_MS,
    'all refusals are counted',
  );
  assert.ok(rows.length <= 2, 'two rows if an hour ended in between');
  assert.equal([rows[0]!.actor.kind, rows[0]!.client], ['UNKNOWN', null]);
  assert.equal(rows[0]!.changes.map(({ field }) => field).sort(), ['count', 'last_at']);
});

const countOf = (facts: readonly { field: string; to: unknown }[]) =>
  facts.filter(({ field }) => field === 'count').reduce((sum, { to }) => sum + Number(to), 0);

test('a tool’s refusal of a call is counted for its token, and an error of input is none', async (served) => {
  const { organizationId, as, owner } = served;
  const viewer = await as('VIEWER');
  const refused = async (tool: string, input: object) =>
    (await viewer.refused(tool, { organization_id: organizationId, ...input })).code;
  for (const name of ['Redpoll', 'Siskin', 'Twite']) assert.is(await refused('addVendor', { name }), 'forbidden');
  assert.is(await refused('listVendors', { size: 'many' }), 'invalid_input');
  const filter = { record_types: ['ACCESS'], event_types: ['CALL_REFUSED'] };
  const rows = await until(
    async () => {
      const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter });
      return countOf(changes.flatMap((row) => row.changes)) === 3 && changes;
    },
    LOG_WRITE_TIMEOUT_MS,
    'the refusals are counted',
  );
  assert.ok(rows.every(({ actor }) => actor.kind === 'TOKEN'));
  assert.ok(rows.every((row) => row.changes.some(({ field, to }) => field === 'reason' && to === 'FORBIDDEN')));
});

test('stopping the service writes the pending rows of token use, without any token’s text', async (served) => {
  const { pair, service, as, accountId, bad } = served;
  const auditor = await as('AUDITOR');
  for (let i = 0; i < 3; i += 1) await auditor.ok('listOrganizations');
  await service.stop();
  const [stored, tokens] = await withOpenPair(pair.env, async ({ accounts, tokens }) => [
    (await accounts.all('access')) as AccessLogRow[],
    await tokens.list(),
  ]);
  for (const { id, name } of tokens) {
    const used = stored.filter(({ actor_id, event_type }) => actor_id === id && event_type === 'TOKEN_USED');
    assert.ok(used.length === 1 || used.length === 2, `${name}: a row, or two where a day ended meanwhile`);
    assert.ok(used.reduce((sum, { count }) => sum + count, 0) >= 4);
    assert.ok(
      used.every((row) => row.account_id === accountId && row.at <= row.last_at && row.address === '127.0.0.1'),
    );
  }
  const text = JSON.stringify(stored);
  for (const token of [...bad, served.token, auditor.token]) assert.not.match(text, token.slice(4, 20));
});

test.run();
