/** @jsxRuntime automatic @jsxImportSource preact */
import { addressWith } from '../../../addresses/page-addresses.ts';
import type { Comparison } from '../../../reports/comparison/compare-moments.ts';
import { type FigureMovement, MOVEMENTS, type Movement } from '../../../reports/comparison/figure-movement.ts';
import { Table } from '../../components/components.tsx';
import { dayText } from '../../texts/dates.ts';
import type { RegisterView } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';

/** The most ids that a list's filter takes. More records need several links. */
const MAX_IDS_PER_LINK = 50;

/** The moments of a comparison as its address gives them. `until` is null for today. */
export interface ComparedAddresses {
  from: string;
  until: string | null;
}

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
      head={['Figure', dayText(before.today), dayText(after.today), 'Difference', 'Because of']}
      rows={figures.map((movement) => ({
        key: movement.figure.name,
        cells: [
          <span key="name" title={movement.figure.meaning}>
            {familyHeading(movement.family)}: {movement.figure.label.toLowerCase()}
          </span>,
          movement.before,
          movement.after,
          signedNumber(movement.after - movement.before),
          <MovementLinks key="links" view={view} movement={movement} addresses={addresses} />,
        ],
      }))}
    />
  );
}

function signedNumber(difference: number): string {
  if (difference === 0) return '0';
  return difference > 0 ? `+${difference}` : `−${-difference}`;
}

function MovementLinks(props: { view: RegisterView; movement: FigureMovement; addresses: ComparedAddresses }) {
  const { view, movement, addresses } = props;
  const { total, ids: idsByKind } = movement.moved;
  if (total === 0) return <span class="muted">–</span>;
  if (idsByKind === null) return <span class="muted">{total} records are too many to list here.</span>;
  const moved = MOVEMENTS.flatMap((kind) => chunksOf(idsByKind[kind]).map((ids) => ({ kind, ids })));
  return (
    <ul class="plain movements">
      {moved.map(({ kind, ids }) => (
        <li key={ids[0]}>
          <a href={recordsAddress(view, movement, { kind, ids }, addresses)}>
            {ids.length} {kind}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Records that left are opened as they were before, the others as they are after. */
function recordsAddress(
  { organization }: RegisterView,
  { family }: FigureMovement,
  { kind, ids }: { kind: Movement; ids: readonly string[] },
  { from, until }: ComparedAddresses,
): string {
  const as_of = kind === 'left' || kind === 'archived' ? from : until;
  return addressWith(`/organizations/${organization.id}/${family.plural}`, { as_of, ids });
}

function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let start = 0; start < ids.length; start += MAX_IDS_PER_LINK) {
    chunks.push(ids.slice(start, start + MAX_IDS_PER_LINK));
  }
  return chunks;
}
