/** Opens accounts and browsers on stores in a temporary folder. Records account events and counts password hashes. */

import { createHmac } from 'node:crypto';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import type { AccountEvent } from '../../../src/identity/access-log/access-events.ts';
import type { Account } from '../../../src/identity/accounts/account.ts';
import { openPeople, type People, type PeopleOptions } from '../../../src/identity/accounts/people.ts';
import type { ClientInfo } from '../../../src/identity/client-info.ts';
import { TakenNames } from '../../../src/identity/memberships/taken-names.ts';
import type { Hasher } from '../../../src/identity/sign-in/argon2.ts';
import { ARGON2 } from '../../../src/identity/sign-in/passwords.ts';
import type { SignInStep } from '../../../src/identity/sign-in/sign-in.ts';
import { open, rejectionError, type TestIdentity } from './identity.ts';

export const BASE_URL = 'https://register.example.org';
export const ADA = { name: 'Ada Lovelace', email: 'Ada@Example.org', password: 'weaves algebraic patterns' };
export const EVE = { name: 'Eve', email: 'eve@example.org', password: 'listens at every door' };
export const CLIENT_INFO: ClientInfo = {
  address: '192.0.2.7',
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};
export const THIEF: ClientInfo = { address: '203.0.113.9', agent: 'curl/8.5.0' };

export interface TestPeople extends People {
  identity: TestIdentity;
  clock: TestIdentity['clock'];
  /** Events for the access log. */
  accountEvents: AccountEvent[];
  /** Counts calls of argon2. */
  work: { hash: number; verify: number };
  /** Accounts that left all organizations. */
  left: string[];
  joined: unknown[];
}

/** Opens people on new stores. With `identity`, opens a second instance on its stores. */
export async function startPeople(identity?: TestIdentity, options: Partial<PeopleOptions> = {}): Promise<TestPeople> {
  const openIdentity = identity ?? (await open());
  const accountEvents: AccountEvent[] = [];
  const work = { hash: 0, verify: 0 };
  const removedAccounts: string[] = [];
  const joined: unknown[] = [];
  const hasher = {
    hash(password: string) {
      work.hash += 1;
      return ARGON2.hash(password);
    },
    verify(hash: string, password: string) {
      work.verify += 1;
      return ARGON2.verify(hash, password);
    },
  };
  const people = openPeople({
    accounts: openIdentity.accounts,
    names: openIdentity.names,
    now: openIdentity.now,
    baseUrl: BASE_URL,
    takenNames: new TakenNames(openIdentity),
    leaveAll: async (id) => void removedAccounts.push(id),
    organizationsOf: async () => [],
    organizationsOnRecord: async () => [],
    join: async (invitation, id) => void joined.push([invitation, id]),
    onAccountEvent: (event) => accountEvents.push(event),
    hasher,
    ...options,
  });
  return {
    ...people,
    identity: openIdentity,
    clock: openIdentity.clock,
    accountEvents,
    work,
    left: removedAccounts,
    joined,
  };
}

/** Replaces argon2 in tests that aren't about passwords. It takes no time. */
export const LIGHT: Hasher = {
  hash: async (password) =>
    `$argon2id$v=19$m=19456,t=2,p=1$${Buffer.from(password.padEnd(16)).toString('base64url')}$${'A'.repeat(43)}`,
  verify: async (hash, password) => hash === (await LIGHT.hash(password)),
};

/** Opens two instances on the same stores. */
export async function startTwo(): Promise<[TestPeople, TestPeople]> {
  const first = await startPeople();
  return [first, await startPeople(await open(first.identity.dataDir, first.clock))];
}

/** An account, and a browser that is signed in to it. */
export interface SignedUp extends SignInStep {
  account: Account;
}

/** Creates an account and signs in to it. */
export async function signUp(people: People, person = ADA): Promise<SignedUp> {
  const account = await people.accounts.create(person, CLIENT_INFO);
  return { ...(await people.signIn.withPassword(person.email, person.password, CLIENT_INFO)), account };
}

/** Signs up with an authenticator app. Moves the clock past the code that was used. */
export async function withApp(
  people: TestPeople,
  person = ADA,
): Promise<SignedUp & { secret: string; codes: string[] }> {
  const signedUp = await signUp(people, person);
  const { secret } = await people.totp.enrol(signedUp.session);
  const codes = await people.totp.add(signedUp.session, codeOf(secret, people.clock.now()), CLIENT_INFO);
  people.clock.wait(60_000);
  return { ...signedUp, secret, codes: codes! };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the code that an authenticator app shows: RFC 6238 with SHA-1, six digits and steps of 30 s. */
export function codeOf(secret: string, at: Date): string {
  const bits = [...secret.replaceAll(' ', '')].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g)!;
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000)));
  const mac = createHmac('sha1', Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))))
    .update(step)
    .digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Returns a code that isn't valid around a moment. */
export function wrongCode(secret: string, at: Date): string {
  const validCodes = [-30_000, 0, 30_000].map((off) => codeOf(secret, new Date(at.getTime() + off)));
  return ['000000', '111111', '222222', '333333'].find((code) => !validCodes.includes(code))!;
}

/** Returns the refusal that a promise is rejected with. */
export async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  const error = await rejectionError(promise);
  if (!(error instanceof Refusal)) throw error;
  return error;
}

/** Splits calls into results and refusals. */
export async function outcomes<T>(promises: readonly Promise<T>[]): Promise<{ done: T[]; refused: Error[] }> {
  const settled = await Promise.allSettled(promises);
  return {
    done: settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    refused: settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : [])),
  };
}
