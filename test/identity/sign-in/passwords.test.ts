import { setImmediate as turn } from 'node:timers/promises';
import { hash as argon2 } from '@node-rs/argon2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { Passwords, refuseWeakPassword } from '../../../src/identity/sign-in/passwords.ts';
import { rejectionError } from '../../support/identity/identity.ts';
import { outcomes } from '../../support/identity/people.ts';

const PERSON = { name: 'Ada Lovelace', email: 'ada.lovelace@example.org' };

function withResolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const test = suite('passwords');

test('are stored as salted argon2id with 19 MiB and two passes', async () => {
  const passwords = new Passwords();
  const hash = await passwords.hash('weaves algebraic patterns');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.is.not(await passwords.hash('weaves algebraic patterns'), hash);
  assert.ok(await passwords.matches('weaves algebraic patterns', hash));
  assert.not(await passwords.matches('weaves algebraic pattern', hash));
  assert.not(passwords.isStale(hash));
  assert.ok(passwords.isStale(await argon2('x', { memoryCost: 8_192, timeCost: 1, parallelism: 1 })));
});

test('are the same in every Unicode form that keyboards send', async () => {
  const passwords = new Passwords();
  const composed = 'caf\u00e9 au lait, s\u2019il vous pla\u00eet \uff21';
  const hash = await passwords.hash(composed);
  assert.ok(await passwords.matches('cafe\u0301 au lait, s\u2019il vous plai\u0302t A', hash));
  assert.not(await passwords.matches('cafe au lait, s\u2019il vous plait A', hash));
});

test('an unknown account has no password, and checking it costs the same', async () => {
  const hashes: string[] = [];
  const hasher = {
    hash: async () => '',
    verify: async (hash: string) => {
      hashes.push(hash);
      return true;
    },
  };
  assert.not(await new Passwords(hasher).matches('anything at all', null));
  assert.is(hashes.length, 1);
  assert.match(hashes[0]!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('are checked one at a time, and the 101st waiting check is refused', async () => {
  let running = 0;
  let most = 0;
  const { promise: gate, resolve: release } = withResolvers();
  const hasher = {
    hash: async () => '',
    verify: async () => {
      running += 1;
      most = Math.max(most, running);
      await gate;
      running -= 1;
      return true;
    },
  };
  const passwords = new Passwords(hasher);
  const matching = outcomes(Array.from({ length: 101 }, () => passwords.matches('x', 'hash')));
  await turn();
  release();
  const { done, refused } = await matching;
  assert.is(done.length, 100);
  assert.is(most, 1);
  assert.is(refused.length, 1);
  assert.instance(refused[0], Refusal);
  assert.is((refused[0] as Refusal).code, 'rate_limited');
  assert.ok((refused[0] as Refusal).more.retry_after_seconds);
  assert.ok(await passwords.matches('x', 'hash'), 'the place is free again');
});

test('a failed check does not block the next', async () => {
  let calls = 0;
  const hasher = {
    hash: async () => '',
    verify: async () => {
      calls += 1;
      if (calls === 1) throw new Error('broken');
      return true;
    },
  };
  const passwords = new Passwords(hasher);
  const [first, second] = await Promise.allSettled([passwords.matches('x', 'hash'), passwords.matches('x', 'hash')]);
  assert.is(first.status, 'rejected');
  assert.equal(second, { status: 'fulfilled', value: true });
});

for (const acceptedPassword of [
  'weaves algebraic patterns',
  'aaaaaaaaaaab',
  'twelve chars',
  '\u{1f600}\u{1f601}\u{1f602}\u{1f603}\u{1f604}\u{1f605}\u{1f606}\u{1f607}\u{1f608}\u{1f609}\u{1f60a}\u{1f60b}',
  `${'x1'.repeat(30)}tail of it`,
  'Ada Lovelace, countess',
  'purple monkey tulips',
  '83!@monk92$%1x',
  `${'long words '.repeat(18)}ab`,
]) {
  test(`${JSON.stringify(acceptedPassword.slice(0, 30))} is accepted`, () =>
    refuseWeakPassword(acceptedPassword, PERSON));
}

for (const [why, bad] of [
  ['eleven characters', 'eleven char'],
  [
    'eleven characters of two code units each',
    `${'\u{1f600}'.repeat(5)}\u{1f601}\u{1f602}\u{1f603}\u{1f604}\u{1f605}\u{1f606}`,
  ],
  ['201 characters', `${'long words '.repeat(18)}abc`],
  ['a lone surrogate', 'weaves algebraic \ud800'],
  ['the e-mail address', 'Ada.Lovelace@example.org'],
  ['the address before the @', 'ada.lovelace'],
  ['the name with its space', 'ADA  LOVELACE'],
  ['a common one', 'Password1234'],
  ['a common one in full width', '\uff50assword1234'],
  ['one letter', 'aaaaaaaaaaaa'],
  ['one word again and again', 'abcabcabcabc'],
  ['digits in their order', '123456789012'],
  ['digits backwards', '987654321098'],
  ['keys in their order', 'qwertyuiopas'],
  ['a listed one with digits', 'qwertyuiop12'],
  ['a listed one between signs', '**Football-2031!'],
  ['a listed one spelled with signs', 'P@$$w0rd20311'],
  ['a listed one twice', 'Monkey monkey 7'],
  ['two letters that alternate with digits', 'a1b2c3d4e5f6'],
  ['the name of the service with digits', 'veritrail2031'],
  ['a part of the name with digits', 'Lovelace1815!!'],
  ['the domain of the address', 'example.org12'],
] as const) {
  test(`refused: ${why}`, async () => {
    const refused = (await rejectionError(refuseWeakPassword(bad, PERSON))) as Refusal;
    assert.is(refused.code, 'invalid_input');
    assert.is(refused.more.field, 'password');
    assert.not(refused.message.includes(bad), 'no message repeats a password');
  });
}

test('a malformed hash is an error, and the thread continues', async () => {
  const passwords = new Passwords();
  const hash = await passwords.hash('weaves algebraic patterns');
  const hashes = [
    passwords.matches('weaves algebraic patterns', 'no hash'),
    passwords.matches('weaves algebraic patterns', hash),
  ];
  const [fault, answer] = await Promise.allSettled(hashes);
  assert.is(fault?.status, 'rejected');
  assert.equal(answer, { status: 'fulfilled', value: true });
});

test.run();
