/** Processes that are killed between their writes to the log and the account store, on each pair of stores. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationStream } from '../../src/commands/families.ts';
import { firstStart } from '../../src/identity/installation/installation.ts';
import { Authenticator } from '../../src/identity/tokens/authenticator.ts';
import type { TokenRecord } from '../../src/identity/tokens/tokens.ts';
import { reconcile } from '../support/identity/reconcile.ts';
import { startPairs, withOpenPair } from '../support/stores/pairs.ts';

const PROGRAM = new URL('../support/identity/killed-call.ts', import.meta.url).pathname;
const CALLS = ['create', 'regenerate', 'revoke', 'connect'] as const;
type Call = (typeof CALLS)[number];
const now = () => new Date();

/** Types of the token's last events, by the number of writes after which the process was killed and the stores compared. */
const OUTCOMES: Record<Call, readonly string[]> = {
  create: ['', 'TokenRevoked', 'TokenCreated'],
  regenerate: ['TokenCreated', 'TokenCreated', 'TokenRevoked', 'TokenRegenerated'],
  revoke: ['TokenCreated', 'TokenRevoked', 'TokenRevoked'],
  connect: ['', 'TokenRevoked', 'TokenRevoked'],
};

/** Runs the program to its end. The databases may run in this process, so it must go on meanwhile. */
async function runKilled(env: Record<string, string>): Promise<{ signal: string | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], { env: { ...process.env, ...env } });
  const [out, err, [, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { signal, out, err };
}

for (const pair of await startPairs()) {
  const test = suite(`calls that were killed half done, on ${pair.name}`);
  test.after(() => pair.close());

  for (const call of CALLS) {
    OUTCOMES[call].forEach((outcome, writes) => {
      test(`${call}, killed after ${writes} writes`, () =>
        withOpenPair(pair.env, async ({ accounts, events, handler, tokens }) => {
          const { organizationId } = await firstStart({ accounts, log: events, handler, now });
          const [{ id: account_id = '' } = {}] = await accounts.all('accounts');
          const organizations = [organizationId];
          const before = await tokens.create({ name: 'mine', account_id, role: 'EDITOR', organizations });
          const known = new Set((await tokens.list()).map(({ id }) => id));
          const eventsBefore = (await events.readStream(organizationStream(organizationId))).length;

          const child = await runKilled({
            ...pair.env,
            CALL: call,
            WRITES: String(writes),
            ACCOUNT: account_id,
            TOKEN: before.record.id,
            ORGANIZATION: organizationId,
          });
          const isLast = writes === OUTCOMES[call].length - 1;
          assert.is(child.signal, isLast ? null : 'SIGKILL', child.err);

          const authenticator = new Authenticator({ accounts, handler, now });
          const works = async () => {
            authenticator.forget(before.record.id);
            return (await authenticator.authenticate(before.token)) !== null;
          };
          const added = (await events.readStream(organizationStream(organizationId))).slice(eventsBefore);
          const isTakenAway =
            added.some(({ data }) => data?.token_id === before.record.id) || (call === 'revoke' && writes > 0);
          assert.is(await works(), !isTakenAway, 'the log decides before any repair');
          const { left } = await reconcile({ accounts, handler, tokens, now }, organizations);
          assert.equal(left, []);
          assert.is(await works(), !isTakenAway);

          const newest = (await events.readStream(organizationStream(organizationId))).slice(eventsBefore - 1);
          const types = newest.filter(({ type }) => type.startsWith('Token')).map(({ type }) => type);
          const addedTypes = call === 'create' || call === 'connect' ? types.slice(1) : types;
          assert.is(addedTypes.at(-1) ?? '', outcome);
          const records = await accounts.all<TokenRecord>('tokens');
          const isUsable = ({ hash, kind, revoked_at }: TokenRecord) => revoked_at === null && (hash ?? kind) !== null;
          const usable = records.filter(({ id }) => !known.has(id)).filter(isUsable);
          assert.is(usable.length, call === 'create' && isLast ? 1 : 0);
          if (call === 'revoke' && writes > 0) assert.is(newest.at(-1)!.data?.reason, 'leaked');
          if (call === 'regenerate' && isLast)
            assert.ok(await authenticator.authenticate(child.out.trim()), 'the new text works');
        }));
    });
  }

  test.run();
}
