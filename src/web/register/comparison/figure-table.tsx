import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { familyQueryOfType } from '../../../queries/family-query.ts';
import type { Comparison } from '../../../reports/comparison/compare-moments.ts';
import { type CoverageDifference, pointsBetween } from '../../../reports/comparison/coverage-differences.ts';
import type { PartMovement } from '../../../reports/comparison/figure-movement.ts';
import { type Headline, outcomeOf } from '../../../reports/comparison/headline.ts';
import { MOVEMENTS, type MovedRecord, type Movement } from '../../../reports/comparison/moved-records.ts';
import { shareText } from '../../../texts/words.ts';
import { dayHeading, Table } from '../../components/components.tsx';
import type { RegisterView } from '../open-register.ts';
import { recordsLabel } from '../rail-links.ts';
import type { ComparedAddresses } from './compared-addresses.ts';

/** The most ids that a list's filter takes. More records need several links, named by their places: 1–50, 51–100. */
const MAX_IDS_PER_LINK = 50;

interface FigureTableProps {
  view: RegisterView;
  comparison: Comparison;
  addresses: ComparedAddresses;
}

/** Names of records that a link to them shows. */
const MAX_NAMED = 3;

/** The figures at both moments, with links to exactly the records that moved each, unless there are too many. */
export function FigureTable({ view, comparison, addresses }: FigureTableProps) {
  const { before, after, figures, coverage } = comparison;
  return (
    <div class="figures">
      <Table
        caption="Figures"
        head={['Figure', dayHeading(before.today), dayHeading(after.today), 'Difference', 'Because of']}
        rows={[
          ...figures.map((movement) => ({
            key: movement.figure.name,
            cells: [
              movement.figure.label,
              movement.before,
              movement.after,
              <Difference key="difference" outcome={outcomeOf(movement)} value={movement.after - movement.before} />,
              <MovedRecordsList key="moved" view={view} parts={movement.parts} addresses={addresses} />,
            ],
          })),
          ...coverage.map(coverageRow),
        ]}
      />
    </div>
  );
}

function coverageRow(difference: CoverageDifference) {
  const { framework, before, after } = difference;
  const points = pointsBetween(difference);
  return {
    key: framework,
    cells: [
      `Coverage of ${framework}`,
      shareCell(before),
      shareCell(after),
      <Difference key="difference" outcome={points > 0 ? 'better' : 'worse'} value={points} unit="points" />,
      points === 0 ? NONE : 'Its controls’ implementation or applicability',
    ],
  };
}

const NONE = <span class="muted">–</span>;

const shareCell = (share: number | null): string => (share === null ? '–' : shareText(share));

/** A difference, with an arrow, and a word for good and bad news. */
function Difference({ outcome, value, unit }: { outcome: keyof Headline; value: number; unit?: 'points' }) {
  if (value === 0) return <span class="muted">0</span>;
  const amount = Math.abs(value);
  return (
    <span class={outcome}>
      {value > 0 ? '▲' : '▼'} {unit === undefined ? amount : `${amount.toFixed(1)} ${unit}`}
      {outcome !== 'other' && ` ${outcome}`}
    </span>
  );
}

/** The records that moved each part of a figure. Parts are named if there are several. */
function MovedRecordsList(props: { view: RegisterView; parts: readonly PartMovement[]; addresses: ComparedAddresses }) {
  const { view, parts, addresses } = props;
  const moving = parts.filter(({ moved }) => moved.total !== 0);
  if (moving.length === 0) return NONE;
  return (
    <>
      {moving.map((movement) => (
        <ul key={movement.part.definition.name} class="plain row movements">
          {parts.length > 1 && <li class="muted">{recordsLabel(movement.part)}</li>}
          <MovementLinks view={view} movement={movement} addresses={addresses} />
        </ul>
      ))}
    </>
  );
}

/** The words for each kind of movement, after its number. A record that neither came nor went needs none. */
const MOVEMENT_WORDS = {
  added: ['+', ' new'],
  entered: ['+', ''],
  left: ['−', ''],
  archived: ['−', ' archived'],
} as const satisfies Record<Movement, readonly [sign: string, word: string]>;

function MovementLinks(props: { view: RegisterView; movement: PartMovement; addresses: ComparedAddresses }) {
  const { view, movement, addresses } = props;
  const { total, records } = movement.moved;
  if (records === null) return <li class="muted">{total ?? 'More than 1,000'} records are too many to list here.</li>;
  return (
    <>
      {MOVEMENTS.filter((kind) => records[kind].length > 0).map((kind) => {
        const [sign, word] = MOVEMENT_WORDS[kind];
        const all = records[kind];
        const links = chunksOf(all).map((chunk) => ({
          from: all.indexOf(chunk[0]!) + 1,
          until: all.indexOf(chunk.at(-1)!) + 1,
          href: movedAddress(view, movement, kind, addresses, { page: '', ids: chunk.map(({ id }) => id) }),
        }));
        const total = `${sign}${all.length}${word}`;
        return (
          <li key={kind}>
            {links.length === 1 ? <a href={links[0]!.href}>{total}</a> : total}{' '}
            <NamedRecords
              records={all}
              addressOf={(id) => movedAddress(view, movement, kind, addresses, { page: `/${id}`, ids: undefined })}
            />
            {links.length > 1 &&
              links.map(({ from, until, href }) => (
                <>
                  {' '}
                  · <a href={href}>{`${from}–${until}`}</a>
                </>
              ))}
          </li>
        );
      })}
    </>
  );
}

/** The first records by name, each with a link to its page. */
function NamedRecords({ records, addressOf }: { records: readonly MovedRecord[]; addressOf: (id: string) => string }) {
  const more = records.length - MAX_NAMED;
  return (
    <>
      {records.slice(0, MAX_NAMED).map(({ id, name }, at) => (
        <>
          {at > 0 && ' · '}
          <a href={addressOf(id)}>{name}</a>
        </>
      ))}
      {more > 0 && ` · ${more} more`}
    </>
  );
}

/** Returns a page of moved records. Those that left are opened as they were before, the others as they are after. */
function movedAddress(
  { organization }: RegisterView,
  { part }: PartMovement,
  kind: Movement,
  { from, until }: ComparedAddresses,
  { page, ids }: { page: string; ids: readonly string[] | undefined },
): string {
  const as_of = kind === 'left' || kind === 'archived' ? from : until;
  const { plural } = familyQueryOfType(part.type);
  return organizationAddress(organization.id, `/${plural}${page}`, { as_of, ids });
}

function chunksOf(records: readonly MovedRecord[]): MovedRecord[][] {
  const chunks: MovedRecord[][] = [];
  for (let start = 0; start < records.length; start += MAX_IDS_PER_LINK) {
    chunks.push(records.slice(start, start + MAX_IDS_PER_LINK));
  }
  return chunks;
}
