import { addDays, endOfDay } from '../../../commands/engine/dates.ts';
import { type ListedChange, listChanges } from '../../../queries/changes/list-changes.ts';
import { dailyFigures } from '../../../queries/figures/daily-figures.ts';
import { positionAt } from '../../../queries/moments/moment.ts';
import type { Reader } from '../../../queries/moments/snapshot.ts';
import { coveringSeal } from '../../../queries/proofs/covering-seal.ts';
import { EVENT_TYPES } from '../../../register/events.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { riskRegister } from '../../../reports/definitions/risk-register.ts';
import {
  adoptedFrameworks,
  coverageByFramework,
  coverageFigureName,
} from '../../../reports/figures/framework-coverage.ts';
import type { ReportContext, ReportRow } from '../../../reports/report-type.ts';
import { MAX_COUNT } from '../../texts/counts.ts';
import { readNamesInChanges } from '../change-words.tsx';
import { quarterEnds } from '../moments/quarter-ends.ts';
import { asOfInput, type RegisterView } from '../open-register.ts';
import { recordsContext } from '../records-context.ts';
import { readUndoOffers } from '../undo/undo-offers.ts';
import type { Coverage, Week } from './home-cards.tsx';
import { type AuditSummary, readAudits } from './read-audits.ts';
import { readTiles, type Tile, type TilePeriod } from './tiles.ts';

const MAX_FRAMEWORKS = 8;
const MAX_WEEK_CHANGES = 6;

/**
 * The events that the week tells of. Those of tokens, keys and seals are technical. What an approved proposal changed says who
 * approved it.
 */
const WEEK_EVENT_TYPES = EVENT_TYPES.filter(
  (type) => !/^(?:Token|Seal|Log|Proposal(?:Approved|CarriedOut))/.test(type),
);

/** Home as one page shows it. */
export interface HomeContent {
  /** True if the organization has no records yet. */
  isEmpty: boolean;
  tiles: readonly Tile[];
  /** The period of the tiles' changes: a board's quarter so far, or 90 days. */
  period: TilePeriod;
  /** The audits that an auditor sees instead of the tiles. Null for other roles. */
  audits: readonly AuditSummary[] | null;
  coverages: readonly Coverage[];
  /** The cells of the risk matrix; empty without rated risks. */
  matrix: readonly ReportRow[];
  week: Week;
  /** Today the newest seal. In the past the first one that covers the moment, which can be later. Null without one. */
  seal: { sealed_at: string; size: number } | null;
}

/** Reads Home at the moment that the page shows. */
export async function readHome(reader: Reader, view: RegisterView): Promise<HomeContent> {
  const records = await recordsContext(view);
  const { role } = view.organization;
  const isAuditor = role === 'AUDITOR';
  const { today } = records.moment;
  const period = role === 'VIEWER' ? quarterSoFar(today) : { since: addDays(today, -90), words: 'in 90 days' };
  return {
    isEmpty: view.past === null && (await hasNoRecords(records)),
    tiles: isAuditor ? [] : await readTiles(reader, view, records, period),
    period,
    audits: isAuditor ? await readAudits(reader, view) : null,
    coverages: await readCoverages(records),
    matrix: await readMatrix(records),
    week: await readWeek(reader, view, today),
    seal: await readSeal(view),
  };
}

/** Before the first event there is nothing to seal, so that no seal covers it. */
async function readSeal({ snapshot, organization, past }: RegisterView): Promise<HomeContent['seal']> {
  return past?.position === 0 ? null : coveringSeal(snapshot, organization.id, past?.position ?? null);
}

function quarterSoFar(today: string): TilePeriod {
  return { since: quarterEnds(today)[0]!.day, words: null };
}

async function hasNoRecords({ snapshot, organizationId, moment }: ReportContext): Promise<boolean> {
  const [figures] = await dailyFigures(snapshot.models, { organizationId }, [moment.today]);
  // The figure with a family's name counts all its records.
  return FAMILY_DESCRIPTIONS.every(({ plural }) => !figures?.[plural]);
}

async function readCoverages(records: ReportContext): Promise<Coverage[]> {
  const [frameworks, shares] = await Promise.all([
    adoptedFrameworks(records, MAX_FRAMEWORKS),
    coverageByFramework(records),
  ]);
  return frameworks.map(({ id, name }) => ({
    frameworkId: String(id),
    name: String(name),
    share: shares.get(coverageFigureName(String(id))) ?? null,
  }));
}

async function readMatrix(records: ReportContext): Promise<ReportRow[]> {
  const { sections } = await riskRegister.collect(records);
  const cells: ReportRow[] = [];
  for await (const cell of sections.find(({ plot }) => plot === 'matrix')!.rows()) cells.push(cell);
  return cells.some(({ risks }) => Number(risks) > 0) ? cells : [];
}

async function readWeek(reader: Reader, view: RegisterView, today: string): Promise<Week> {
  const { snapshot, organization } = view;
  // From a position, changes are read by the index. From a day, all older ones would be read if the week has few.
  const before = await positionAt(snapshot, organization.id, endOfDay(addDays(today, -8)));
  const filter = { from: String(before + 1) };
  const input = { organization_id: organization.id, size: MAX_WEEK_CHANGES, verify: false, ...asOfInput(view) };
  const { changes } = (await listChanges(reader, view.caller, {
    ...input,
    filter: { ...filter, event_types: WEEK_EVENT_TYPES },
    view: 'SUMMARY',
  })) as { changes: ListedChange[] };
  const count = { ...input, filter, view: 'COUNT', max_count: MAX_COUNT + 1 } as const;
  const { total } = (await listChanges(reader, view.caller, count)) as { total: number };
  const [people, undoOffers] = [await readNamesInChanges(view, changes), await readUndoOffers(view, changes)];
  return { changes, people, undoOffers, total, from: addDays(today, -7) };
}
