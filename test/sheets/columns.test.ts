import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SheetField } from '../../src/sheets/cells/read-cell.ts';
import { matchColumns, readColumnMap } from '../../src/sheets/columns/match-columns.ts';
import { assertRefuses } from '../support/sheets.ts';

const columns = suite('columns');

const FIELDS: readonly SheetField[] = [
  { name: 'reference_id', kind: 'text' },
  { name: 'name', kind: 'text' },
  { name: 'due_date', kind: 'date' },
  { name: 'criticality', kind: 'enum', values: ['LOW', 'HIGH'] },
];

const match = (headers: readonly string[], ...map: string[]) => {
  const { headerOf, unused } = matchColumns(headers, FIELDS, { map: readColumnMap(map) });
  return { ...Object.fromEntries(headerOf), unused };
};

columns('are found by their name, ignoring case, spaces and hyphens', () => {
  assert.equal(match(['Reference ID', 'NAME', 'due-date', 'Criticality', 'Owner']), {
    reference_id: 'Reference ID',
    name: 'NAME',
    due_date: 'due-date',
    criticality: 'Criticality',
    unused: ['Owner'],
  });
});

columns('with other names are mapped by the caller, never guessed', () => {
  assert.equal(match(['Supplier', 'Ref', 'Due'], 'name=Supplier'), { name: 'Supplier', unused: ['Ref', 'Due'] });
  assert.equal(match(['supplier  name', 'x=y'], 'name = Supplier Name', 'reference_id=x=y'), {
    name: 'supplier  name',
    reference_id: 'x=y',
    unused: [],
  });
});

columns('that are mapped lose the meaning of their own name', () => {
  assert.equal(match(['Name', 'Supplier'], 'name=Supplier', 'reference_id=Name'), {
    name: 'Supplier',
    reference_id: 'Name',
    unused: [],
  });
  assert.equal(match(['Name', 'Supplier'], 'reference_id=Name'), { reference_id: 'Name', unused: ['Supplier'] });
  assert.equal(match(['Name', 'Due date', 'due_date'], 'due_date=due_date'), {
    name: 'Name',
    due_date: 'due_date',
    unused: ['Due date'],
  });
});

for (const [name, headers, map, message] of [
  ['an unknown field', ['Name'], ['nmae=Name'], /nmae is not a field. Did you mean name/],
  ['a field without a similar one', ['Name'], ['colour=Name'], /colour is not a field. Give one of reference_id, name/],
  ['an unknown header', ['Supplier', 'Due'], ['name=Suplier'], /no column "Suplier". Did you mean Supplier/],
  ['a header similar to two', ['due date', 'due-date'], ['due_date=Due_Date'], /"due date" and "due-date"/],
  ['no header', ['Name'], ['name='], /"name=" is not a mapping\. Give field=column/],
  ['no field', ['Name'], ['Name'], /is not a mapping/],
  ['a field twice', ['A', 'B'], ['name=A', 'name=B'], /name is mapped twice/],
] as const) {
  columns(`a mapping with ${name} is refused`, () => assertRefuses(async () => match(headers, ...map), message));
}

columns('two for one field are refused', () =>
  assertRefuses(async () => match(['Name', 'Due date', 'due_date']), /"Due date" and "due_date" all match due_date/),
);

columns('are refused if none matches a field', () =>
  assertRefuses(
    async () => match(['Supplier', 'Due']),
    /Map columns, such as .*=Supplier\. The fields are reference_id, name/,
  ),
);

columns.run();
