import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { OrganizationState } from '../../commands/organization/organization.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { isErasureUnfinished } from '../accounts/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { domainId, indexDomain } from '../memberships/domains.ts';
import { addToMembershipIndex, type IndexedAccount, organizationsIn } from '../memberships/membership-index.ts';
import type { TokenRecord } from '../tokens/token-record.ts';
import type { Difference } from './reconciler.ts';
import { type LoggedToken, TokenDifferences, type TokenDifferencesOptions } from './token-differences.ts';

export interface DifferencesOptions extends TokenDifferencesOptions {
  people: Pick<Accounts, 'finishErasing'>;
}

/** Organizations by id. Null for one without events; one that can't be read now is absent. */
type LoggedOrganizations = ReadonlyMap<string, OrganizationState | null>;

/**
 * Returns the differences between the account store and the log of these organizations. Each is what a crash leaves
 * between the writes of one call to the two stores.
 */
export async function findDifferences(
  options: DifferencesOptions,
  organizationIds: readonly string[],
): Promise<Difference[]> {
  const { accounts, handler } = options;
  const records = await accounts.all<TokenRecord>('tokens');
  const reached = records.flatMap(({ organizations }) => organizations);
  const organizations = await loadOrganizations(handler, new Set([...organizationIds, ...reached]));
  return [
    ...(await tokenDifferences(options, records, organizations)),
    ...(await indexDifferences(accounts, organizations)),
    ...(await erasures(options)),
  ];
}

async function loadOrganizations(handler: CommandHandler, ids: Iterable<string>): Promise<LoggedOrganizations> {
  const organizations = new Map<string, OrganizationState | null>();
  for (const id of ids) {
    // The others are compared nevertheless, and this one in a later run.
    const loaded = await handler.load(organizationAggregate(id), true).catch(() => null);
    if (loaded !== null) organizations.set(id, loaded.state);
    // Embedded stores answer at once, so without this all organizations would be one turn of the event loop.
    await nextLoopTurn();
  }
  return organizations;
}

/** Compares the tokens in the log with their records, and the records with the rest of the account store. */
async function tokenDifferences(
  options: DifferencesOptions,
  records: readonly TokenRecord[],
  organizations: LoggedOrganizations,
): Promise<Difference[]> {
  const differences = new TokenDifferences(options);
  const stored = new Map(records.map((record) => [record.id, record]));
  const byAccount = new Map<string, TokenRecord[]>(records.map(({ account_id }) => [account_id, []]));
  for (const record of records) byAccount.get(record.account_id)!.push(record);
  for (const [organizationId, state] of organizations) {
    for (const [id, token] of state?.tokens.entries() ?? [])
      differences.compare({ organizationId, id, token }, stored.get(id) ?? null);
  }
  for (const record of records) {
    const logged = record.organizations.map((id): LoggedToken => organizations.get(id)?.tokens.get(record.id));
    differences.checkRegeneration(record, logged);
    await differences.checkAssistant(record, byAccount.get(record.account_id)!);
  }
  return differences.found;
}

/**
 * Returns members and admitted domains that aren't in the indexes by which they are looked up. An entry that is not needed
 * any more does no harm, because the log decides, so a repair needn't look again.
 */
async function indexDifferences(accounts: AccountStore, organizations: LoggedOrganizations): Promise<Difference[]> {
  const people = new Map((await accounts.all<IndexedAccount>('accounts')).map((account) => [account.id, account]));
  const domainIds = new Set((await accounts.all('domains')).map(({ id }) => id));
  const differences: Difference[] = [];
  for (const [organizationId, state] of organizations) {
    for (const accountId of Object.keys(state?.members ?? {})) {
      const account = people.get(accountId);
      if (account === undefined || (await organizationsIn(accounts, account)).includes(organizationId)) continue;
      differences.push({
        key: `member not indexed: ${accountId} ${organizationId}`,
        repair: async () => void (await addToMembershipIndex(accounts, accountId, organizationId)),
      });
    }
    for (const domain of Object.keys(state?.domains ?? {})) {
      if (domainIds.has(domainId(domain, organizationId))) continue;
      differences.push({
        key: `domain not indexed: ${domain} ${organizationId}`,
        repair: async () => void (await indexDomain(accounts, domain, organizationId)),
      });
    }
  }
  return differences;
}

/** Returns the accounts whose erasing was interrupted. */
async function erasures({ accounts, people }: DifferencesOptions): Promise<Difference[]> {
  return (await accounts.all('accounts')).filter(isErasureUnfinished).map(({ id }) => ({
    key: `account not fully erased: ${id}`,
    repair: async () => {
      const account = await accounts.get('accounts', id);
      if (account !== null && isErasureUnfinished(account)) await people.finishErasing(account);
    },
  }));
}
