/** @jsxRuntime automatic @jsxImportSource preact */
import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { familyQueryOfType } from '../../../queries/family-query.ts';
import type { Comparison } from '../../../reports/comparison/compare-moments.ts';
import type { PartMovement } from '../../../reports/comparison/figure-movement.ts';
import { MOVEMENTS, type Movement } from '../../../reports/comparison/moved-records.ts';
import { dayHeading, Table } from '../../components/components.tsx';
import type { RegisterView } from '../open-register.ts';
import { recordsLabel } from '../rail-links.ts';
import type { ComparedAddresses } from './compared-addresses.ts';

/** The most ids that a list's filter takes. More records need several links. */
const MAX_IDS_PER_LINK = 50;

interface FigureTableProps {
  view: RegisterView;
  comparison: Comparison;
  addresses: ComparedAddresses;
}

/** The figures at both moments, with links to exactly the records that moved each, unless there are too many. */
export function FigureTable({ view, comparison, addresses }: FigureTableProps) {
  const { before, after, figures } = comparison;
  return (
    <Table
      caption="Figures"
      head={['Figure', dayHeading(before.today), dayHeading(after.today), 'Difference', 'Because of']}
      rows={figures.map(({ figure, parts, ...values }) => ({
        key: figure.name,
        cells: [
          figure.label,
          values.before,
          values.after,
          signedNumber(values.after - values.before),
          <MovedRecordsList key="moved" view={view} parts={parts} addresses={addresses} />,
        ],
      }))}
    />
  );
}

function signedNumber(difference: number): string {
  if (difference === 0) return '0';
  return difference > 0 ? `+${difference}` : `−${-difference}`;
}

/** The records that moved each part of a figure. Parts are named if there are several. */
function MovedRecordsList(props: { view: RegisterView; parts: readonly PartMovement[]; addresses: ComparedAddresses }) {
  const { view, parts, addresses } = props;
  const moving = parts.filter(({ moved }) => moved.total !== 0);
  if (moving.length === 0) return <span class="muted">–</span>;
  return (
    <>
      {moving.map((movement) => (
        <ul key={movement.part.definition.name} class="plain movements">
          {parts.length > 1 && <li class="muted">{recordsLabel(movement.part)}</li>}
          <MovementLinks view={view} movement={movement} addresses={addresses} />
        </ul>
      ))}
    </>
  );
}

function MovementLinks(props: { view: RegisterView; movement: PartMovement; addresses: ComparedAddresses }) {
  const { view, movement, addresses } = props;
  const { total, ids: idsByKind } = movement.moved;
  if (idsByKind === null) return <li class="muted">{total ?? 'More than 1,000'} records are too many to list here.</li>;
  const moved = MOVEMENTS.flatMap((kind) => chunksOf(idsByKind[kind]).map((ids) => ({ kind, ids })));
  return (
    <>
      {moved.map(({ kind, ids }) => (
        <li key={ids[0]}>
          <a href={recordsAddress(view, movement, { kind, ids }, addresses)}>
            {ids.length} {kind}
          </a>
        </li>
      ))}
    </>
  );
}

/** Records that left are opened as they were before, the others as they are after. */
function recordsAddress(
  { organization }: RegisterView,
  { part }: PartMovement,
  { kind, ids }: { kind: Movement; ids: readonly string[] },
  { from, until }: ComparedAddresses,
): string {
  const as_of = kind === 'left' || kind === 'archived' ? from : until;
  const { plural } = familyQueryOfType(part.type);
  return organizationAddress(organization.id, `/${plural}`, { as_of, ids });
}

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let start = 0; start < ids.length; start += MAX_IDS_PER_LINK) {
    chunks.push(ids.slice(start, start + MAX_IDS_PER_LINK));
  }
  return chunks;
}
