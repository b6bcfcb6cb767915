/** Compares the account store with the log as a service does, on a clock of the test. */
import * as assert from 'uvu/assert';
import type { Accounts } from '../../../src/identity/accounts/accounts.ts';
import { findDifferences } from '../../../src/identity/installation/differences.ts';
import { Reconciler } from '../../../src/identity/installation/reconciler.ts';
import type { TestIdentity } from './identity.ts';

export const MINUTE_MS = 60_000;

const NOBODY_ERASED: Pick<Accounts, 'finishErasing'> = {
  finishErasing: async ({ id }) => assert.unreachable(`${id} is not to be erased`),
};

/**
 * Runs twice, 5 minutes apart. Returns the keys of the differences that the second run found, and of those that a third
 * one finds after it.
 */
export async function reconcile(
  identity: Pick<TestIdentity, 'accounts' | 'handler' | 'tokens' | 'now'>,
  organizations: readonly string[],
  people = NOBODY_ERASED,
): Promise<{ found: string[]; left: string[] }> {
  let elapsed = 0;
  let found: string[] = [];
  const find = async () => {
    const differences = await findDifferences({ ...identity, people }, organizations);
    found = differences.map(({ key }) => key);
    return differences;
  };
  const log = { warn: () => undefined };
  const reconciler = new Reconciler({ find, isTrusted: () => true, log, elapsed: () => elapsed });
  await reconciler.run();
  elapsed = 5 * MINUTE_MS;
  await reconciler.run();
  const repaired = found;
  await find();
  return { found: repaired, left: found };
}
