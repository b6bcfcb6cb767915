import type { ServiceClock } from '../clock/service-clock.ts';
import type { CommandHandler } from '../commands/engine/handler.ts';
import type { AccountStore } from '../stores/account-store.ts';
import type { AccessEvents } from './access-log/access-events.ts';
import { AccessLog } from './access-log/access-log.ts';
import type { AccountNames } from './accounts/account-names.ts';
import { openPeople, type People } from './accounts/people.ts';
import { findDifferences } from './installation/differences.ts';
import { Reconciler } from './installation/reconciler.ts';
import { Sweeper } from './installation/sweeper.ts';
import { accountActor, SYSTEM_ACTOR } from './memberships/actor.ts';
import { Members } from './memberships/members.ts';
import { TakenNames } from './memberships/taken-names.ts';
import { accessTokenLookup } from './oauth/access-token-lookup.ts';
import { OAuthAddresses } from './oauth/addresses.ts';
import { Authenticator } from './tokens/authenticator.ts';
import { OrganizationTokens } from './tokens/organization-tokens.ts';
import { Tokens } from './tokens/tokens.ts';

/** The log, for a comparison with the account store. */
export interface ComparedLog {
  organizations(): readonly string[];
  /** Returns true if it was read to its end, log and clock can be trusted, and this instance may repair differences. */
  isTrusted(): boolean;
  /** Checks that both stores hold the data that this process knows. @throws (rejects) if one doesn't, or doesn't answer */
  check(): Promise<unknown>;
}

export interface IdentityOptions {
  accounts: AccountStore;
  names: AccountNames;
  /** The access log listens to it. */
  accessEvents: AccessEvents;
  handler: CommandHandler;
  /** The log that the account store is compared with. By default it isn't compared. */
  comparedLog?: ComparedLog;
  clock: Pick<ServiceClock, 'now' | 'isTrusted'>;
  /** The service's base address, without a slash at the end. */
  baseUrl: string;
  log: { warn(details: object, message: string): void };
}

/** People, their memberships, and the credentials that call tools on their behalf. */
export interface Identity {
  people: People;
  members: Members;
  tokens: Tokens;
  organizationTokens: OrganizationTokens;
  authenticator: Authenticator;
  accessLog: AccessLog;
  /** Started once the read models have caught up with the log. */
  reconciler: Reconciler;
  /** Starts writing the access log and removing expired records. */
  start(): void;
  /** Writes the pending entries of the access log, and stops. Never rejects. */
  close(): Promise<void>;
}

/** Creates the services in the order in which they need each other. */
export function openIdentity(options: IdentityOptions): Identity {
  const { accounts, names, accessEvents, handler, comparedLog, clock, baseUrl, log } = options;
  const { now } = clock;
  const findAccessToken = accessTokenLookup(accounts, new OAuthAddresses(baseUrl).resource);
  const authenticator = new Authenticator({
    accounts,
    handler,
    now,
    baseUrl,
    findAccessToken,
    onTokenEvent: accessEvents.emit,
  });
  const onTokenChanged = (id: string) => authenticator.forget(id);
  const tokens = new Tokens({ accounts, handler, now, onTokenChanged });
  const organizationTokens = new OrganizationTokens({ accounts, names, handler, now });
  const members = new Members({ accounts, names, handler, tokens, now, baseUrl });
  const organizationsOf = async (accountId: string) => [...(await members.rolesOf(accountId)).keys()];
  const accessLog = new AccessLog({ accounts, organizationsOf, now, log });
  accessEvents.listen(accessLog.record);
  const people = openPeople({
    accounts,
    names,
    now,
    baseUrl,
    leaveAll: (accountId) => members.leaveAll(accountId),
    takenNames: new TakenNames({ accounts, names, handler }),
    organizationsOf: (accountId) => members.organizationsOf(accountId),
    organizationsOnRecord: (accountId) => members.organizationsOnRecord(accountId),
    join: async ({ organization_id, role, until, made_by }, accountId) => {
      const inviter = made_by === 'SYSTEM' ? SYSTEM_ACTOR : accountActor(made_by);
      await members.add(organization_id, accountId, role, inviter, until);
    },
    onAccountEvent: accessEvents.emit,
    onLinkEvent: accessEvents.emit,
  });
  const sweeper = new Sweeper({ accounts, clock, log });
  const start = () => {
    accessLog.start();
    sweeper.start();
  };
  const close = async () => {
    await reconciler.stop();
    await sweeper.stop();
    await accessLog.close();
  };
  const differenceOptions = { accounts, handler, tokens, people: people.accounts, now, onTokenChanged };
  const reconciler = new Reconciler({
    find: async () => {
      // Compared with a copy that was put back by mistake, tokens would end for good.
      await comparedLog?.check();
      return findDifferences(differenceOptions, comparedLog?.organizations() ?? []);
    },
    isTrusted: () => comparedLog?.isTrusted() ?? false,
    log,
  });
  return { people, members, tokens, organizationTokens, authenticator, accessLog, reconciler, start, close };
}
