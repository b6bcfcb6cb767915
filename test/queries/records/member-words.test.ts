import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { MemberWords } from '../../../src/queries/records/member-words.ts';

const MEMBERS = 1_000;
const NAME_LENGTH = 200;
const WORDS = 10;
/** Each unknown word took more than 30 ms before its comparison was bounded. */
const MAX_WORD_MS = 15;

const test = suite('words for members');

const memberWords = (names: readonly string[]) =>
  new MemberWords(names.map((name, index) => ({ account_id: `acc_${index}`, name, email: null })));

function hintFor(members: MemberWords, word: string): string | undefined {
  try {
    members.require(word, 'owner');
  } catch (error) {
    if (error instanceof Refusal) return error.more.hint as string | undefined;
    throw error;
  }
  throw new Error(`${word} is a member`);
}

/** Returns the same letters and blanks for the same seed. */
function textOf(length: number, seed: number): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return 'abcdefghijklmnopqrstuvwxyz '[state % 27];
  }).join('');
}

test('suggests names with a common word first, then similar ones', () => {
  const members = memberWords(['Jane Montgomery-Whitefield', 'Jana', 'Ole Hansen', 'JANE DOE']);
  assert.is(hintFor(members, 'Jane'), 'Members with similar names: JANE DOE, Jane Montgomery-Whitefield, Jana');
  assert.is(hintFor(members, 'Ole Hanssen'), 'Members with similar names: Ole Hansen');
});

test('suggests no name that is unlike the word', () => {
  assert.is(hintFor(memberWords(['Jane Doe', 'Ole Hansen']), 'Bartholomew Kowalczyk'), undefined);
});

test('an unknown word costs little, however many and long the names are', () => {
  const names = Array.from({ length: MEMBERS }, (_, index) => textOf(NAME_LENGTH, index + 1));
  const members = memberWords(names);
  const costs = Array.from({ length: WORDS }, (_, index) => {
    const start = process.cpuUsage();
    hintFor(members, textOf(NAME_LENGTH, -index - 1));
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  assert.ok(Math.min(...costs) < MAX_WORD_MS, `${costs.map(Math.round).join(', ')} ms`);
});

test.run();
