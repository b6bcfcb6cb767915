import { KeyedQueue } from '../../commands/engine/keyed-queue.ts';
import { normalize } from '../../commands/engine/normalize.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import { Argon2, type Hasher } from './argon2.ts';
import { isCommonPassword } from './common-passwords.ts';

/**
 * 19 MiB and two passes: one of the minimum settings in OWASP's Password Storage Cheat Sheet. The package uses
 * argon2id by default.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
export const ARGON2: Hasher = new Argon2(COST);
const HASH_BEGINNING = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** The hash of a random password, at the same cost. Compared when there is no account. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$7GbU9VeEhasNVO7aJ0mheQ$goetMZOAJ4yph14eodUuq4sncxw6tMKEey+FsIUmJfs';

/** At about 20 ms each, the last in the queue waits about 2 s. */
const MAX_WAITING_PASSWORDS = 100;
/** The refusal when more people are signing in than the service can check. */
export const TOO_MANY_SIGN_INS = 'Too many people are signing in. Try again shortly.';

/** Hashes and verifies passwords one at a time, off the event loop, in a bounded queue. */
export class Passwords {
  private readonly queue = new KeyedQueue(MAX_WAITING_PASSWORDS, TOO_MANY_SIGN_INS);

  constructor(private readonly hasher: Hasher = ARGON2) {}

  get waiting(): number {
    return this.queue.waiting;
  }

  /** @throws Refusal rate_limited when too many wait */
  hash(password: string): Promise<string> {
    return this.queue.run('', () => this.hasher.hash(normalizePassword(password)));
  }

  /**
   * Compares a password with a hash. Takes the same time if the hash is null because the account doesn't exist.
   * @throws Refusal rate_limited when too many wait
   */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const isMatch = await this.queue.run('', () => this.hasher.verify(hash ?? DUMMY_HASH, normalizePassword(password)));
    return isMatch && hash !== null;
  }

  /** Returns true for a hash whose cost differs from the current one. It is replaced at the next sign-in. */
  isStale(hash: string): boolean {
    return !hash.startsWith(HASH_BEGINNING);
  }
}

const MIN_LENGTH = 12;
const MAX_LENGTH = 200;

/**
 * Refuses a password outside 12 to 200 characters, one made of the person's own data, and a common one.
 * @throws Refusal invalid_input
 */
export async function refuseWeakPassword(
  password: string,
  { name, email }: { name: string | null; email: string | null },
): Promise<void> {
  const length = [...normalizePassword(password)].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH || !password.isWellFormed()) {
    refuse(`Choose a password of ${MIN_LENGTH} to ${MAX_LENGTH} characters.`);
  }
  const plain = withoutSpaces(password);
  const personalWords = [name, ...(name?.split(/\s+/u) ?? []), email, ...(email?.split('@') ?? [])].map((text) =>
    withoutSpaces(text ?? ''),
  );
  if (personalWords.includes(plain)) refuse('Choose a password that is not your name or e-mail address.');
  if (await isCommonPassword(plain, personalWords)) {
    refuse('This password is too common. Choose another one.');
  }
}

/**
 * Normalizes a password, because keyboards may send one text in several forms. NFKC, as RFC 8265 and NIST SP 800-63B
 * advise.
 */
function normalizePassword(password: string): string {
  return normalize(password, 'NFKC');
}

/** Returns the text normalized, in lower case and without spaces. */
function withoutSpaces(text: string): string {
  return normalizePassword(text).toLowerCase().replace(/\s/gu, '');
}

function refuse(message: string): never {
  throw invalidField('password', message);
}
