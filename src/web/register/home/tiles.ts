import { type AddressParameters, addressWith } from '../../../addresses/page-addresses.ts';
import { addDays, dateOf } from '../../../commands/engine/dates.ts';
import { dailyFigures } from '../../../queries/figures/daily-figures.ts';
import { countRecords, readRecordPage } from '../../../queries/lists/list-records.ts';
import type { Reader } from '../../../queries/moments/snapshot.ts';
import { RISK_STATUSES } from '../../../register/risk.ts';
import { HOME_FIGURES, type SummedFigure } from '../../../reports/figures/home-figures.ts';
import type { ReportContext } from '../../../reports/report-type.ts';
import { MAX_COUNT } from '../../texts/counts.ts';
import { asOfInput, type RegisterView, registerAddress } from '../open-register.ts';
import { REGISTER_LISTS } from '../register-lists.ts';
import { countDueSelection, readDueSelection } from './due-selection.ts';

/** A number of Home and the rows that it counts: a family's list with a filter, or due items of everyone. */
interface TileDefinition {
  figure: SummedFigure;
  rows: { plural: string; filter: Readonly<Record<string, unknown>> } | { due: AddressParameters };
  /** The daily figures whose sum is the number at the end of a day. */
  dailyFigures: readonly string[];
}

const OPEN_FINDINGS = { plural: 'nonconformities', filter: { open: true } };

const TILES: readonly TileDefinition[] = [
  { figure: HOME_FIGURES.overdue, rows: { due: { overdue: 'true' } }, dailyFigures: ['overdue'] },
  {
    figure: HOME_FIGURES.criticalRisks,
    rows: {
      plural: 'risks',
      filter: { min_score: 15, status: RISK_STATUSES.filter((status) => status !== 'CLOSED') },
    },
    dailyFigures: ['risks_critical'],
  },
  {
    figure: HOME_FIGURES.uncoveredControls,
    rows: { plural: 'controls', filter: { status: ['INCLUDED'], implementation: ['NONE', 'STARTED'] } },
    dailyFigures: ['controls_none', 'controls_started'],
  },
  {
    figure: HOME_FIGURES.expiringEvidence,
    rows: { due: { kind: 'EVIDENCE_ENDS', overdue: 'false' } },
    dailyFigures: ['evidence_expiring_in_30_days'],
  },
  { figure: HOME_FIGURES.openFindings, rows: OPEN_FINDINGS, dailyFigures: ['nonconformities_open'] },
  {
    figure: HOME_FIGURES.vendorsPastReview,
    rows: { plural: 'vendors', filter: { review_overdue: true } },
    dailyFigures: ['vendors_review_overdue'],
  },
];

/** The period of a tile's change and of its sparkline: from the end of a day. */
export interface TilePeriod {
  /** At most 130 days before the moment shown. */
  since: string;
  /** Names the period after a difference, such as `in 90 days`. Null names the day since which it runs. */
  words: string | null;
}

/** A number of Home. */
export interface Tile {
  label: string;
  /** At most MAX_COUNT + 1, see countText. */
  count: number;
  /** The difference to the period's first day. Null if it is unknown. */
  change: number | null;
  better: SummedFigure['better'];
  /** The number at the end of each of the period's days, the earliest first. */
  history: readonly number[];
  /** The page with exactly the rows that the number counts. */
  address: string;
}

/** Counts the tiles at the moment that the page shows, and over the period before. */
export async function readTiles(
  reader: Reader,
  view: RegisterView,
  records: ReportContext,
  { since }: TilePeriod,
): Promise<Tile[]> {
  const figures = await readDays(records, since);
  const [first = null] = figures;
  const days = figures.filter((day) => day !== null);
  const tiles: Tile[] = [];
  for (const { figure, rows, dailyFigures: names } of TILES) {
    const count = await countRows(reader, view, records, rows);
    const history = days.map((day) => names.reduce((sum, name) => sum + (day[name] ?? 0), 0));
    const note = rows === OPEN_FINDINGS && count > 0 ? await oldestFinding(reader, view, records.moment.today) : '';
    tiles.push({
      label: `${figure.label}${note}`,
      count,
      change: first === null || count > MAX_COUNT ? null : count - history[0]!,
      better: figure.better,
      history,
      address: rowsAddress(view, rows),
    });
  }
  return tiles;
}

/** Returns the figures at the end of each day from one until yesterday. Null before the organization existed. */
function readDays({ snapshot, organizationId, moment }: ReportContext, since: string) {
  const days: string[] = [];
  for (let day = since; day < moment.today; day = addDays(day, 1)) days.push(day);
  return dailyFigures(snapshot.models, { organizationId }, days);
}

async function countRows(
  reader: Reader,
  view: RegisterView,
  records: ReportContext,
  rows: TileDefinition['rows'],
): Promise<number> {
  if ('due' in rows) {
    const query = new URLSearchParams(addressWith('', rows.due));
    return countDueSelection(records, readDueSelection(query, records.moment.today));
  }
  const { query, tool } = REGISTER_LISTS.get(rows.plural)!;
  const input = { organization_id: view.organization.id, filter: rows.filter, size: 1, ...asOfInput(view) };
  const count = { ...input, view: 'COUNT', max_count: MAX_COUNT + 1 } as const;
  return (await countRecords(reader, query, tool, view.caller, count)).total;
}

function rowsAddress(view: RegisterView, rows: TileDefinition['rows']): string {
  if ('plural' in rows) return registerAddress(view, `/${rows.plural}`, rows.filter);
  return registerAddress(view, '/needs-you', { owner: 'all', ...rows.due });
}

/** Returns the age of the open finding that was recorded first, such as ` (oldest: 74 d)`. */
async function oldestFinding(reader: Reader, view: RegisterView, today: string): Promise<string> {
  const { query, tool } = REGISTER_LISTS.get(OPEN_FINDINGS.plural)!;
  const { records } = await readRecordPage(reader, query, tool, view.caller, {
    organization_id: view.organization.id,
    filter: OPEN_FINDINGS.filter,
    order_by: { field: 'created_at', direction: 'ASC' },
    size: 1,
    view: 'FULL',
    ...asOfInput(view),
  });
  const created = dateOf(String(records[0]?.created_at));
  return ` (oldest: ${Math.round((Date.parse(today) - Date.parse(created)) / 86_400_000)} d)`;
}
