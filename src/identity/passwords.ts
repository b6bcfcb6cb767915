import { parseOptions } from '@node-rs/argon2';
import { Refusal } from '../commands/refusal.ts';
import { Argon2, type Hasher } from './argon2.ts';
import { Turns } from './turns.ts';

/** 19 MiB and two passes: the smallest that OWASP's password storage sheet asks of argon2id (the package's default kind). */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
export const ARGON2: Hasher = new Argon2(COST);

/** Of a random password that nobody kept, at the same cost. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$7GbU9VeEhasNVO7aJ0mheQ$goetMZOAJ4yph14eodUuq4sncxw6tMKEey+FsIUmJfs';

/** So many may wait: at some 20 ms each, nobody waits longer than a few seconds. */
const MOST_WAITING = 100;

/** argon2id, one at a time and off the event loop, in a queue with a bound. */
export class Passwords {
  private readonly turns = new Turns(MOST_WAITING);

  constructor(private readonly hasher: Hasher = ARGON2) {}

  /** @throws Refusal rate_limited when too many wait */
  hash(password: string): Promise<string> {
    return this.turns.take('', () => this.hasher.hash(foldPassword(password)));
  }

  /** Takes as long for nobody (null) as for somebody. @throws Refusal rate_limited when too many wait */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const good = await this.turns.take('', () => this.hasher.verify(hash ?? NOBODY, foldPassword(password)));
    return good && hash !== null;
  }

  /** Whether a hash was made at another cost than today's: it is to be made anew when its password is next seen. */
  isStale(hash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(hash);
    return memoryCost !== COST.memoryCost || timeCost !== COST.timeCost || parallelism !== COST.parallelism;
  }
}

const SHORTEST = 12;
const LONGEST = 200;

/** 12 to 200 characters, neither the person's own data nor obviously common. @throws Refusal invalid_input */
export function refuseBadPassword(password: string, person: { name: string | null; email: string | null }): void {
  const length = [...foldPassword(password)].length;
  if (length < SHORTEST || length > LONGEST || !password.isWellFormed()) {
    refuse(`Choose a password of ${SHORTEST} to ${LONGEST} characters.`);
  }
  const plain = unadorned(password);
  const own = [person.name, person.email, person.email?.split('@')[0]].map((text) => unadorned(text ?? ''));
  if (own.includes(plain)) refuse('Choose a password that is not your name or e-mail address.');
  if (COMMON.has(plain) || REPEATED.test(plain) || RUNS.some((run) => run.includes(plain))) {
    refuse('This password is one of the first that anybody would try: choose another.');
  }
}

/** One form for a text that keyboards may send in several: NFKC, as RFC 8265 and NIST SP 800-63B advise. */
function foldPassword(password: string): string {
  return password.normalize('NFKC');
}

/** Without what people add to a common password to make it look like another. */
function unadorned(text: string): string {
  return foldPassword(text).toLowerCase().replace(/\s/gu, '');
}

/** A short text again and again. */
const REPEATED = /^(.{1,6}?)\1+$/u;

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const KEYS = 'qwertyuiopasdfghjklzxcvbnm';
const reversed = (text: string) => [...text].reverse().join('');
const RUNS = [DIGITS, LETTERS, KEYS, `1234567890${KEYS}`].flatMap((run) =>
  [run, reversed(run)].map((one) => one + one),
);

/** Of at least twelve characters: what is shorter is refused for that. */
const COMMON: ReadonlySet<string> = new Set([
  ...[
    'password',
    'passw0rd',
    'p@ssw0rd',
    'p@ssword',
    'veritrail',
    'compliance',
    'administrator',
    'welcome',
    'changeme',
  ].flatMap((word) =>
    ['1', '12', '123', '1234', '12345', '123456', '!', '123!', '1234!', '2024', '2025', '2026', '2027'].map(
      (end) => word + end,
    ),
  ),
  ...['administrator', 'passwordpassword', 'mypassword123', 'mypassword1234', 'thisismypassword', 'letmeinletmein'],
  ...[
    'correcthorsebatterystaple',
    'iloveyou1234',
    'iloveyouforever',
    'trustno1trustno1',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
  ],
  ...['qwerty123456', 'qwertyuiop123', 'qwerty1234567', 'abc123abc123', 'abcd12345678', 'a1b2c3d4e5f6', 'q1w2e3r4t5y6'],
  ...['123456789abc', '123456qwerty', '1234567890ab', 'abcdef123456', 'superman1234', 'football1234', 'sunshine1234'],
]);

function refuse(message: string): never {
  throw new Refusal('invalid_input', message, { field: 'password' });
}
