import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cell } from '../../src/sheets/cells/cell.ts';
import type { DateOrder } from '../../src/sheets/cells/cell-dates.ts';
import { readCell, type SheetField } from '../../src/sheets/cells/read-cell.ts';

const spellings = suite('spellings of cells');

type Case = readonly [cell: string | Cell, expected: unknown, order?: DateOrder];

const cellOf = (input: string | Cell): Cell => (typeof input === 'string' ? { kind: 'text', value: input } : input);
const number = (value: number): Cell => ({ kind: 'number', value });
const DAY: Cell = { kind: 'date', value: '2026-12-31' };
const TIME: Cell = { kind: 'timestamp', value: '2026-12-31T14:30:00.000Z' };

/** Each cell is read as expected, or is refused with a message like the expression. */
function reads(field: SheetField, cases: readonly Case[]): void {
  for (const [input, expected, order] of cases) {
    const title = order ? `${JSON.stringify(input)} (${order})` : JSON.stringify(input);
    spellings(`${field.kind}: ${title} is ${expected instanceof RegExp ? 'refused' : expected}`, () => {
      const read = readCell(cellOf(input), field, { dateOrder: order });
      if (!(expected instanceof RegExp)) assert.equal(read, { value: expected });
      else if ('error' in read) assert.match(read.error, expected);
      else assert.unreachable(`read as ${String(read.value)}`);
    });
  }
}

reads({ name: 'due', kind: 'date' }, [
  ['2026-12-31', '2026-12-31'],
  [' 2026-12-31 ', '2026-12-31'],
  ['2026/1/5', '2026-01-05'],
  ['31.12.2026', '2026-12-31'],
  ['3.4.2026', '2026-04-03'],
  ['3.4.2026', '2026-03-04', 'mdy'],
  ['31. 12. 2026', '2026-12-31'],
  ['31/12/2026', '2026-12-31'],
  ['12/31/2026', '2026-12-31'],
  ['31-12-2026', '2026-12-31'],
  ['04/04/2026', '2026-04-04'],
  ['03/04/2026', '2026-04-03', 'dmy'],
  ['03/04/2026', '2026-03-04', 'mdy'],
  ['31 Dec 2026', '2026-12-31'],
  ['31-dec-2026', '2026-12-31'],
  ['31. December 2026', '2026-12-31'],
  ['1st Sept. 2026', '2026-09-01'],
  ['Dec 31, 2026', '2026-12-31'],
  ['December 31st 2026', '2026-12-31'],
  ['2026-12-31 14:30', '2026-12-31'],
  ['31.12.2026 00:00:00', '2026-12-31'],
  ['2026-12-31T23:30:00Z', '2026-12-31'],
  ['Dec 31, 2026, 2:30 PM', '2026-12-31'],
  [DAY, '2026-12-31'],
  [TIME, '2026-12-31'],
  ['29.02.2028', '2028-02-29'],
  ['03/04/2026', /^"03\/04\/2026" could be 2026-04-03 or 2026-03-04\. Use --dates dmy .* --dates mdy/],
  ['12/31/2026', /not a day of the calendar/, 'dmy'],
  ['31/12/2026', /not a day of the calendar/, 'mdy'],
  ['29.02.2026', /not a day of the calendar/],
  ['31/31/2026', /not a day of the calendar/],
  ['31 Foo 2026', /is not a date/],
  ['31.12.26', '2026-12-31'],
  ['31 Dec 26', '2026-12-31'],
  ['31-Dec-26', '2026-12-31'],
  ['08-Oct-25', '2025-10-08'],
  ['Dec 31, 26', '2026-12-31'],
  ['1-Jan-69', '1969-01-01'],
  ['12/30/99', '1999-12-30'],
  ['10/8/25', '2025-10-08', 'mdy'],
  ['10/8/25', '2025-08-10', 'dmy'],
  ['12/31/26', '2026-12-31'],
  ['31/12/26', /could be 2026-12-31 or 2031-12-26/],
  ['10/08/25', /could be 2025-08-10 or 2025-10-08 or 2010-08-25\. Use --dates dmy .* --dates mdy/],
  ['31. Dezember 2026', '2026-12-31'],
  ['3. März 2026', '2026-03-03'],
  ['1er janvier 2026', '2026-01-01'],
  ['31 décembre 2026', '2026-12-31'],
  ['31 de diciembre de 2026', '2026-12-31'],
  ['5 de março de 2026', '2026-03-05'],
  ['5 settembre 2026', '2026-09-05'],
  ['5 mrt 2026', '2026-03-05'],
  ['5 października 2026', '2026-10-05'],
  ['5. července 2026', '2026-07-05'],
  ['5. června 2026', '2026-06-05'],
  ['2026年12月31日', '2026-12-31'],
  ['5 jui 2026', /is not a date/],
  ['unknown', undefined],
  ['null', undefined],
  ['Rolling', undefined],
  ['fortlaufend', undefined],
  ['2026-12-31T23:30:00-05:00', /another zone/],
  ['2026-12-31 25:00', /hh:mm/],
  ['Q4 2026', /Give YYYY-MM-DD/],
  ['tbd', undefined],
  ['soon', /^"soon" is not a date. Give YYYY-MM-DD/],
  [number(46387), /Format the column as a date/],
  [{ kind: 'boolean', value: true }, /is not a date/],
  [{ kind: 'error', value: '#REF!' }, /^"#REF!" .*formula/],
]);

reads({ name: 'reviewed', kind: 'timestamp' }, [
  ['2026-12-31', '2026-12-31'],
  ['2026-12-31T14:30:05.250Z', '2026-12-31T14:30:05.250Z'],
  ['2026-12-31 14:30', '2026-12-31T14:30:00.000Z'],
  ['31.12.2026 9:05:07', '2026-12-31T09:05:07.000Z'],
  ['12/31/2026 2:30 PM', '2026-12-31T14:30:00.000Z'],
  ['12/31/2026 12:10 am', '2026-12-31T00:10:00.000Z'],
  ['2026-12-31 14:30 UTC', '2026-12-31T14:30:00.000Z'],
  ['2026-12-31T23:30:00-05:00', '2027-01-01T04:30:00.000Z'],
  ['2026-12-31T01:30+0200', '2026-12-30T23:30:00.000Z'],
  ['03/04/2026 14:30', '2026-04-03T14:30:00.000Z', 'dmy'],
  [DAY, '2026-12-31'],
  [TIME, '2026-12-31T14:30:00.000Z'],
  ['03/04/2026 14:30', /--dates/],
  ['2026-12-31 14:60', /hh:mm/],
  ['2026-12-31 13:00 pm', /hh:mm/],
  ['14:30', /not a date/],
]);

const enumOf = (...values: string[]): SheetField => ({ name: 'state', kind: 'enum', values });

reads(enumOf('NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED', 'NOT_APPLICABLE'), [
  ['IN_PROGRESS', 'IN_PROGRESS'],
  ['In progress', 'IN_PROGRESS'],
  ['in-progress', 'IN_PROGRESS'],
  [' not started ', 'NOT_STARTED'],
  ['Done', 'IMPLEMENTED'],
  ['done!', 'IMPLEMENTED'],
  ['n/a', 'NOT_APPLICABLE'],
  ['N.A.', 'NOT_APPLICABLE'],
  ['impl', 'IMPLEMENTED'],
  ['not', /could be NOT_STARTED or NOT_APPLICABLE. Write it out/],
  ['in', /could be IN_PROGRESS. Write it out/],
  ['Blocked', /^"Blocked" is not a valid value. Give one of NOT_STARTED, IN_PROGRESS, .* or leave it empty/],
  ['-', undefined],
  [number(1), /not a valid value/],
]);
reads(enumOf('LOW', 'MEDIUM', 'HIGH', 'CRITICAL'), [
  ['M', 'MEDIUM'],
  ['moderate', 'MEDIUM'],
  ['Crit', 'CRITICAL'],
  ['n/a', undefined],
  ['TBC', undefined],
  ['very high', 'CRITICAL'],
  ['Major', 'HIGH'],
  ['urgent', /not a valid value/],
]);
reads(enumOf('NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT'), [
  ['not compliant', 'NON_COMPLIANT'],
  ['compliant', 'COMPLIANT'],
  ['partially', 'PARTIALLY_COMPLIANT'],
  ['no', /could be NOT_ASSESSED or NON_COMPLIANT/],
]);
reads(enumOf('OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'), [['done', /not a valid value/]]);
reads(enumOf('INCLUDED', 'EXCLUDED'), [
  ['Applicable', 'INCLUDED'],
  ['N/A', 'EXCLUDED'],
]);

reads({ name: 'personal', kind: 'boolean' }, [
  ['Yes', true],
  ['y', true],
  ['TRUE', true],
  ['x', true],
  ['X', true],
  ['1', true],
  [number(1), true],
  [{ kind: 'boolean', value: true }, true],
  ['no', false],
  ['N', false],
  ['false', false],
  [number(0), false],
  [{ kind: 'boolean', value: false }, false],
  ['maybe', /^"maybe" is neither yes nor no/],
  ['hai', /neither/],
  ['None', /^"None" is neither yes nor no/],
  ['unknown', undefined],
  [number(2), /neither/],
]);

reads({ name: 'likelihood', kind: 'rating' }, [
  ['4', 4],
  ['4.0', 4],
  [number(4), 4],
  ['4 - Likely', 4],
  ['4: likely', 4],
  ['4 (likely)', 4],
  ['4 – Likely, 2026', 4],
  ['-4', -4],
  ['4.5', /neither a whole number nor a word/],
  [number(4.5), /neither a whole number nor a word/],
  ['4,5', /neither a whole number nor a word/],
  ['4-5', /neither a whole number nor a word/],
  ['4 or 5', /neither a whole number nor a word/],
  ['4 of 5', /neither a whole number nor a word/],
  ['Likely (4)', 4],
  ['Major - 4', 4],
  ['likely', 4],
  ['Almost Certain', 5],
  ['Very high', 5],
  ['Med', 3],
  ['VL', 1],
  ['NA', undefined],
  ['severe', /neither a whole number nor a word/],
  ['often', /neither a whole number nor a word/],
  [{ kind: 'boolean', value: true }, /neither a whole number nor a word/],
  [DAY, /neither a whole number nor a word/],
]);

reads({ name: 'website_url', kind: 'url' }, [
  ['https://acme.example/a', 'https://acme.example/a'],
  ['aws.amazon.com', 'https://aws.amazon.com'],
  ['www.acme.example/legal?x=1', 'https://www.acme.example/legal?x=1'],
  ['jane@acme.example', 'jane@acme.example'],
  ['see contract', 'see contract'],
]);

reads({ name: 'framework_id', kind: 'id', prefix: 'frm' }, [
  ['frm_1', 'frm_1'],
  ['ISO 27001', /is not an id/],
]);

reads({ name: 'name', kind: 'text' }, [
  ['N/A', undefined],
  ['t.b.d.', undefined],
  ['–', undefined],
  ['NA', 'NA'],
  ['none', 'none'],
  ['  Acme \r\n Ltd ', 'Acme \n Ltd'],
  [number(42), '42'],
  [number(0.1 + 0.2), '0.3'],
  [{ kind: 'boolean', value: true }, 'TRUE'],
  [DAY, '2026-12-31'],
  [TIME, '2026-12-31T14:30:00.000Z'],
  [{ kind: 'error', value: '#N/A' }, /formula/],
]);

for (const kind of ['text', 'date', 'timestamp', 'boolean', 'rating'] as const) {
  reads({ name: 'field', kind }, [[' \n ', undefined]]);
}
reads(enumOf('LOW'), [['', undefined]]);

spellings('a blank cell means nothing', () => {
  assert.equal(readCell(undefined, { name: 'name', kind: 'text' }), { value: undefined });
});

spellings('a long cell is quoted in part', () => {
  const read = readCell(cellOf('word '.repeat(1000)), { name: 'due', kind: 'date' });
  assert.ok('error' in read && read.error.length < 120);
});

spellings.run();
