import type { AccountStore } from '../../stores/account-store.ts';
import type { OnAccountEvent, OnLinkEvent } from '../access-log/access-events.ts';
import { firstOwnerId } from '../installation/installation.ts';
import type { TakenNames } from '../memberships/taken-names.ts';
import { Factors } from '../second-factor/factors.ts';
import { Passkeys } from '../second-factor/passkeys.ts';
import { Reauthentication } from '../second-factor/reauthentication.ts';
import { RecentAuthentication } from '../second-factor/recent-authentication.ts';
import { Recovery } from '../second-factor/recovery.ts';
import { Totp } from '../second-factor/totp.ts';
import type { Hasher } from '../sign-in/argon2.ts';
import { DemoSignIn } from '../sign-in/demo-sign-in.ts';
import { Passwords } from '../sign-in/passwords.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { SignIn } from '../sign-in/sign-in.ts';
import { Throttle } from '../sign-in/throttle.ts';
import { type Account, findAccount, toAccount } from './account.ts';
import { AccountLinks, type OrganizationsOf, type OrganizationsOnRecord } from './account-links.ts';
import type { AccountNames } from './account-names.ts';
import { Accounts } from './accounts.ts';
import { OneTimeLinks } from './one-time-links.ts';
import { type JoinOrganization, Welcome } from './welcome.ts';

export interface PeopleOptions {
  accounts: AccountStore;
  names: AccountNames;
  now: () => Date;
  /** The service's base address, without a slash at the end. */
  baseUrl: string;
  /** See AccountsOptions. */
  leaveAll: (accountId: string) => Promise<void>;
  takenNames: TakenNames;
  join: JoinOrganization;
  organizationsOf: OrganizationsOf;
  organizationsOnRecord: OrganizationsOnRecord;
  onAccountEvent?: OnAccountEvent | undefined;
  onLinkEvent?: OnLinkEvent | undefined;
  hasher?: Hasher | undefined;
}

/** Everything about people and their browsers. */
export interface People {
  accounts: Accounts;
  sessions: Sessions;
  signIn: SignIn;
  recentAuthentication: RecentAuthentication;
  reauthentication: Reauthentication;
  factors: Factors;
  totp: Totp;
  recovery: Recovery;
  passkeys: Passkeys;
  links: OneTimeLinks;
  accountLinks: AccountLinks;
  welcome: Welcome;
  demo: DemoSignIn;
  passwords: Pick<Passwords, 'waiting'>;
  /** Returns a link's secret for the first owner while they have no password; then null. Called at every start. */
  setupLink(installation: string): Promise<string | null>;
}

/** Creates the services in the order in which they need each other. */
export function openPeople(options: PeopleOptions): People {
  const { accounts: store, names, now, baseUrl, leaveAll, takenNames, join, hasher } = options;
  const { onAccountEvent = ignore, onLinkEvent } = options;
  const passwords = new Passwords(hasher);
  const throttle = new Throttle({ accounts: store, now });
  const sessions = new Sessions({ accounts: store, now });
  const links = new OneTimeLinks({ accounts: store, now, onLinkEvent });
  const factors = new Factors(store);
  const recentAuthentication = new RecentAuthentication({ accounts: store, passwords, sessions, throttle, now });
  const totp = new Totp({ accounts: store, factors, recentAuthentication, sessions, now, onAccountEvent });
  const recovery = new Recovery({ accounts: store, factors, recentAuthentication, onAccountEvent });
  const passkeys = new Passkeys({
    accounts: store,
    factors,
    recentAuthentication,
    sessions,
    now,
    onAccountEvent,
    baseUrl,
  });
  const reauthentication = new Reauthentication({ factors, passkeys, recentAuthentication, sessions, throttle, totp });
  const accounts = new Accounts({
    accounts: store,
    names,
    passwords,
    recentAuthentication,
    sessions,
    factors,
    links,
    now,
    leaveAll,
    takenNames,
    onAccountEvent,
  });
  const signIn = new SignIn({
    accounts,
    factors,
    passkeys,
    recentAuthentication,
    recovery,
    sessions,
    throttle,
    totp,
    onAccountEvent,
  });
  const demo = new DemoSignIn({ accounts, signIn });
  const accountLinks = new AccountLinks({ ...options, accounts, links });
  const welcome = new Welcome({ accounts, links, accountLinks, signIn, throttle, takenNames, onAccountEvent, join });
  return {
    accounts,
    sessions,
    signIn,
    recentAuthentication,
    reauthentication,
    factors,
    totp,
    recovery,
    passkeys,
    links,
    accountLinks,
    welcome,
    demo,
    passwords,
    setupLink: (installation) => createSetupLink(store, links, installation),
  };
}

const ignore = () => undefined;

/** Creates a set-up link. Links of earlier starts stay valid for their day: another instance may just have shown one. */
async function createSetupLink(store: AccountStore, links: OneTimeLinks, installation: string): Promise<string | null> {
  const owner = await firstOwner(store, installation);
  if (owner === null || owner.password !== null || owner.subject !== null || owner.erased_at !== null) return null;
  const { secret } = await links.create({ kind: 'SETUP', account_id: owner.id, made_by: 'SYSTEM' });
  return secret;
}

/** Returns the account of the first start. For an adopted log, that is the oldest account. */
async function firstOwner(store: AccountStore, installation: string): Promise<Account | null> {
  const first = await findAccount(store, firstOwnerId(installation));
  if (first !== null) return first;
  const accounts = (await store.all('accounts')).map(toAccount);
  return accounts.sort((a, b) => a.created_at.localeCompare(b.created_at))[0] ?? null;
}
