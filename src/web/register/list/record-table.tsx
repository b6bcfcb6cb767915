import type { ListSelection } from '../../../addresses/page-addresses.ts';
import { overdueFieldsOf } from '../../../queries/records/due-dates.ts';
import type { Field } from '../../../register/field.ts';
import { relationLabel } from '../../../register/link.ts';
import { planText } from '../../../texts/treatment-text.ts';
import { LongDay, tableRole } from '../../components/components.tsx';
import { enumText, FieldContent, type RecordRow, StateChip } from '../field-content.tsx';
import { RowBox } from '../many/choose-form.tsx';
import { numberField, titleFieldOf } from '../naming-fields.ts';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';
import type { RegisterList } from '../register-lists.ts';
import { listAddress } from './list-address.ts';
import { type Direction, SORT_WORDS, SortLink } from './sort-link.tsx';

interface RecordTableProps {
  list: RegisterList;
  view: RegisterView;
  selection: ListSelection;
  rows: readonly RecordRow[];
  /** The day that due dates are compared with. */
  today: string;
  /** Names the table for screen readers, if the page has several. */
  label?: string;
  /** True if each row has a box. */
  isChosen?: boolean;
}

/** A family's records. Headings that are orders are links. On a phone each row is a block. */
export function RecordTable({ list, view, selection, rows, today, label, isChosen = false }: RecordTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="scroll" aria-label={label ?? familyHeading(list.family)} tabIndex={0}>
      <table class="records" {...tableRole('table')}>
        <thead {...tableRole('rowgroup')}>
          <tr {...tableRole('row')}>
            {list.columns.map((name) => (
              <ColumnHeading key={name} list={list} view={view} selection={selection} name={name} />
            ))}
          </tr>
        </thead>
        <tbody {...tableRole('rowgroup')}>
          {rows.map((row) => (
            <RecordTableRow key={String(row.id)} list={list} view={view} row={row} today={today} isChosen={isChosen} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A column's heading. If the list can be in its order, it is a link to that, or to the opposite direction. */
function ColumnHeading({
  list,
  view,
  selection,
  name,
}: Omit<RecordTableProps, 'rows' | 'today' | 'label' | 'isChosen'> & { name: string }) {
  const { label, kind } = list.query.fields[name]!;
  const current = currentDirection(list, selection, name);
  return (
    <th
      scope="col"
      class={`kind-${kind}`}
      aria-sort={current === null ? undefined : SORT_WORDS[current]}
      {...tableRole('columnheader')}
    >
      {list.query.orders.includes(name) ? (
        <SortLink
          href={listAddress(view, {
            ...selection,
            order_by: { field: name, direction: nextDirection(list, name, current) },
          })}
          label={label}
          current={current}
        />
      ) : (
        label
      )}
    </th>
  );
}

/** Returns the direction of a list that is in a column's order; null if it is in another. */
function currentDirection({ query }: RegisterList, { order_by }: ListSelection, name: string): Direction | null {
  const { defaultOrder } = query;
  const field = order_by?.field ?? defaultOrder.field;
  if (field !== name) return null;
  return order_by?.direction ?? (field === defaultOrder.field ? defaultOrder.direction : 'ASC');
}

function nextDirection({ query }: RegisterList, name: string, current: Direction | null): Direction {
  if (current !== null) return current === 'ASC' ? 'DESC' : 'ASC';
  return name === query.defaultOrder.field ? query.defaultOrder.direction : 'ASC';
}

interface RecordTableRowProps extends Pick<RecordTableProps, 'list' | 'view' | 'today' | 'isChosen'> {
  row: RecordRow;
}

function RecordTableRow({ list, view, row, today, isChosen }: RecordTableRowProps) {
  const { family, columns, query } = list;
  const overdue = overdueFieldsOf(family, query, row, today);
  const title = titleFieldOf(family);
  return (
    <tr {...tableRole('row')}>
      {columns.map((name) => {
        const field = family.fields[name]!;
        if (name === title) {
          return (
            <th key={name} scope="row" class="title" {...tableRole('rowheader')}>
              {isChosen && <RowBox id={String(row.id)} name={String(row[name] ?? row.id)} />}
              <a href={registerAddress(view, `/${family.plural}/${row.id}`)} data-row>
                {String(row[name] ?? row.id)}
              </a>
              <SecondLine list={list} row={row} />
              <LinkedControls row={row} />
            </th>
          );
        }
        const kind = name === numberField(family) ? 'number' : `kind-${field.kind}`;
        return (
          <td key={name} data-label={field.label} class={kind} {...tableRole('cell')}>
            {overdue.includes(name) ? (
              <OverdueDate at={String(row[name])} />
            ) : (
              <FieldContent name={name} field={field} row={row} />
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** A date that is over, marked as in "Needs you". */
function OverdueDate({ at }: { at: string }) {
  return (
    <StateChip
      tone="danger"
      text={
        <>
          <span class="for-screen-readers">Overdue: </span>
          <LongDay at={at} />
        </>
      }
    />
  );
}

/** The controls of the filter's framework that a control is linked with, such as "Equivalent to PR.AA-01". */
function LinkedControls({ row: { linked_controls } }: { row: RecordRow }) {
  if (!Array.isArray(linked_controls)) return null;
  return (
    <small class="row second-line">
      {linked_controls.map(({ section_title, relation }) => (
        <span key={section_title}>
          {relationLabel(relation)} {section_title}
        </span>
      ))}
    </small>
  );
}

function SecondLine({ list: { family, secondLine }, row }: { list: RegisterList; row: RecordRow }) {
  const set = secondLine.filter((name) => typeof row[name] === 'string');
  if (set.length === 0) return null;
  return (
    <small class="row second-line">
      {set.map((name) => (
        <span key={name}>
          {family.fields[name]!.label}: <ShortValue name={name} field={family.fields[name]!} row={row} />
        </span>
      ))}
    </small>
  );
}

const DIGEST_CHARACTERS = 12;

/** A value in a line of text: an enum without its chip, and the beginning of a digest. */
function ShortValue({ name, field, row }: { name: string; field: Field; row: RecordRow }) {
  const text = String(row[name]);
  switch (field.kind) {
    case 'enum':
      return <>{planText(name, text, enumText(field, text), row)}</>;
    case 'sha256':
      return <code title={text}>{text.slice(0, DIGEST_CHARACTERS)}…</code>;
    default:
      return <FieldContent name={name} field={field} row={row} />;
  }
}
