import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { daysToClosure } from '../../src/reports/sections/closures.ts';

const test = suite('days to closure');

/** Identified on a date of Sydney, where a day begins before it does in UTC. */
const CLOSED = '2026-11-26T20:00:00.000Z';

test('are never negative, but in version 1 of a report', () => {
  for (const [date_identified, days, inVersion1] of [
    ['2026-11-20', 6, 6],
    ['2026-11-26', 0, 0],
    ['2026-11-27', 0, -1],
    ['2026-12-26', null, -30],
  ] as const) {
    const finding = { date_identified, closed_at: CLOSED };
    assert.is(daysToClosure({ inputs: {} }, finding), days, date_identified);
    assert.is(daysToClosure({ inputs: { report_version: '1' } }, finding), inVersion1, date_identified);
  }
  assert.is(daysToClosure({ inputs: {} }, { date_identified: '2026-11-20', closed_at: null }), null);
});

test.run();
