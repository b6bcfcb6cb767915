import type { AccountStore } from '../../stores/account-store.ts';
import type { OnAccountEvent, OnLinkEvent } from '../access-log/account-events.ts';
import { firstOwnerId } from '../installation/installation.ts';
import { Factors } from '../second-factor/factors.ts';
import { Passkeys } from '../second-factor/passkeys.ts';
import { Reauthentication } from '../second-factor/reauthentication.ts';
import { RecentAuthentication } from '../second-factor/recent-authentication.ts';
import { Recovery } from '../second-factor/recovery.ts';
import { Totp } from '../second-factor/totp.ts';
import type { Hasher } from '../sign-in/argon2.ts';
import { Passwords } from '../sign-in/passwords.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { SignIn } from '../sign-in/sign-in.ts';
import { Throttle } from '../sign-in/throttle.ts';
import { type Account, findAccount, toAccount } from './account.ts';
import { AccountLinks, type OrganizationsOf } from './account-links.ts';
import { Accounts } from './accounts.ts';
import { OneTimeLinks } from './one-time-links.ts';
import { type JoinOrganization, Welcome } from './welcome.ts';

export interface PeopleOptions {
  accounts: AccountStore;
  now: () => Date;
  /** The service's base address, without a slash at the end. */
  baseUrl: string;
  /** See AccountsOptions. */
  leaveAll: (accountId: string) => Promise<void>;
  join: JoinOrganization;
  organizationsOf: OrganizationsOf;
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
  passwords: Pick<Passwords, 'waiting'>;
  /** Returns a link's secret for the first owner while they have no password; then null. Called at every start. */
  setupLink(installation: string): Promise<string | null>;
}

/** Creates the services and wires them together. */
export function openPeople({
  accounts: store,
  now,
  baseUrl,
  leaveAll,
  join,
  organizationsOf,
  onAccountEvent = ignore,
  onLinkEvent,
  hasher,
}: PeopleOptions): People {
  const baseOptions = { accounts: store, now };
  const passwords = new Passwords(hasher);
  const throttle = new Throttle(baseOptions);
  const sessions = new Sessions(baseOptions);
  const links = new OneTimeLinks({ ...baseOptions, onLinkEvent });
  const factors = new Factors(store);
  const recentAuthentication = new RecentAuthentication({ ...baseOptions, passwords, sessions, throttle });
  const sharedOptions = { ...baseOptions, recentAuthentication, factors, sessions, onAccountEvent };
  const totp = new Totp(sharedOptions);
  const recovery = new Recovery(sharedOptions);
  const passkeys = new Passkeys({ ...sharedOptions, baseUrl });
  const reauthentication = new Reauthentication({ ...sharedOptions, passkeys, throttle, totp });
  const accounts = new Accounts({ ...sharedOptions, passwords, links, leaveAll });
  const signIn = new SignIn({ ...sharedOptions, accounts, throttle, totp, recovery, passkeys });
  const accountLinks = new AccountLinks({ accounts, links, organizationsOf });
  const welcome = new Welcome({ accounts, links, accountLinks, signIn, throttle, onAccountEvent, join });
  const setupLink = (installation: string) => createSetupLink(store, links, installation);
  const proving = { recentAuthentication, reauthentication, factors, totp, recovery, passkeys };
  return { accounts, sessions, signIn, ...proving, links, accountLinks, welcome, passwords, setupLink };
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
