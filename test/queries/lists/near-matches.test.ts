/** Names that are all nearly alike, made to keep the comparison busy: other calls get turns meanwhile. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_QUERIES } from '../../../src/queries/family-query.ts';
import { searchNearRecords } from '../../../src/queries/lists/search-records.ts';
import { ok } from '../../support/controls.ts';
import { callerAs, startRegister, type TestRegister } from '../../support/register.ts';

const VENDORS = 100;
const BASE_WORDS = [...'bdgkmprt'].map((letter) => `${letter}bcdfghjklmnpqrstvwxyzb`);
/** The last word is unlike all others, so every other word of each vendor is compared before a wording fails. */
const QUERY = [...BASE_WORDS.slice(0, 7), `t${'o'.repeat(22)}`].join(' ');

const test = suite<{ register: TestRegister }>('near matches');

test.before(async (context) => {
  context.register = await startRegister();
  const rows = Array.from({ length: VENDORS }, (_, index) => ({
    name: BASE_WORDS.map((word, place) =>
      changedLetter(word, 2 + ((index + place) % 20), 'aeiou'[Math.floor(index / 20)]!),
    ).join(' '),
  }));
  const { organizationId: organization_id } = context.register;
  await ok(context.register, 'importRecords', { organization_id, type: 'VENDOR', rows });
});
test.after(({ register }) => register.stop());

const changedLetter = (word: string, place: number, letter: string): string =>
  word.slice(0, place) + letter + word.slice(place + 1);

/** Returns the number of turns that other calls get until a call is done, and its result. */
async function withTurns<T>(call: () => Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0;
  let isDone = false;
  const countTurn = () => {
    turns++;
    if (!isDone) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const result = await call().finally(() => (isDone = true));
  return { turns, result };
}

function searchNear({ reader, organizationId }: TestRegister, query: string) {
  return withTurns(() => searchNearRecords(reader, callerAs(), { organization_id: organizationId, query }));
}

test('every family gives other calls a turn, also one without near matches, and so do 20 records', async ({
  register,
}) => {
  const families = Object.keys(FAMILY_QUERIES).length;
  const unlike = await searchNear(register, 'zzzz');
  assert.equal(unlike.result, []);
  assert.ok(unlike.turns >= families, `${unlike.turns} turns in ${families} families`);
  const alike = await searchNear(register, QUERY);
  assert.equal(alike.result, []);
  const added = alike.turns - unlike.turns;
  assert.ok(added >= Math.floor(VENDORS / 20), `${added} more turns for ${VENDORS} vendors`);
});

test('names with one letter changed are near', async ({ register }) => {
  const { result } = await searchNear(register, BASE_WORDS.join(' '));
  assert.equal(
    result.map(({ type, records }) => [type, records.length]),
    [['VENDOR', 3]],
  );
});

test.run();
