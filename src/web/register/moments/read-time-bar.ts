import { addDays, dateOf, endOfDay } from '../../../commands/engine/dates.ts';
import { type ListedChange, listChanges } from '../../../queries/changes/list-changes.ts';
import { dailyFigures } from '../../../queries/figures/daily-figures.ts';
import { logTimeOf, SETTLED_MS } from '../../../queries/moments/moment.ts';
import type { Reader, Snapshot } from '../../../queries/moments/snapshot.ts';
import { coveringSeal } from '../../../queries/proofs/covering-seal.ts';
import type { RegisterView } from '../open-register.ts';

const MAX_BARS = 120;
/** With fewer events, the days are listed instead of drawn. */
const MIN_EVENTS_FOR_BARS = 20;
const DAY_MS = 86_400_000;

/** The changes of some days. */
export interface TimeBarStep {
  /** The last of the days. */
  day: string;
  changes: number;
}

/** An organization's changes over time. */
export interface TimeBarContent {
  /** At most 120, the earliest first; empty with few events. */
  steps: readonly TimeBarStep[];
  /** Days with changes, if there are few events. */
  days: readonly string[];
  firstDay: string;
  /** The day of the newest seal. */
  sealedDay: string | null;
}

/** Reads the organization's changes over time. Returns null for readers without the past. */
export async function readTimeBar(reader: Reader, view: RegisterView): Promise<TimeBarContent | null> {
  const { snapshot, organization, readsPast, today } = view;
  if (!readsPast) return null;
  const firstTime = await logTimeOf(snapshot, organization.id, 1);
  if (firstTime === null) return null;
  const firstDay = dateOf(firstTime);
  const seal = await coveringSeal(snapshot, organization.id, null);
  const sealedDay = seal === null ? null : dateOf(seal.sealed_at);
  const newest = snapshot.newestPosition(organization.id);
  if (newest < MIN_EVENTS_FOR_BARS) return { steps: [], days: await changedDays(reader, view), firstDay, sealedDay };
  const days = stepEnds(firstDay, today);
  const ended = await changesUntil(snapshot, organization.id, days.slice(0, -1));
  const totals = [...ended, newest];
  const steps = days.map((day, index) => ({ day, changes: totals[index]! - (totals[index - 1] ?? 0) }));
  return { steps, days: [], firstDay, sealedDay };
}

/** Returns the last days of the steps, the earliest first. All steps have the same length, and the last one ends today. */
function stepEnds(firstDay: string, today: string): string[] {
  const days = Math.round((Date.parse(today) - Date.parse(firstDay)) / DAY_MS) + 1;
  const length = Math.ceil(days / MAX_BARS);
  const count = Math.max(1, Math.ceil(days / length));
  return Array.from({ length: count }, (_, index) => addDays(today, -length * (count - 1 - index)));
}

/** Returns the number of changes until the end of each day. All days have ended, so the numbers stay and are read once. */
async function changesUntil(
  snapshot: Snapshot,
  organizationId: string,
  days: readonly string[],
): Promise<readonly number[]> {
  const { changeTotals, progress } = snapshot;
  const lastDay = days.at(-1);
  const key = [organizationId, days.length, days[0], lastDay].join();
  const cached = changeTotals.get(key);
  if (cached !== undefined) return cached;
  const figures = await dailyFigures(snapshot.models, { organizationId }, days);
  const totals = figures.map((figure) => figure?.changes ?? 0);
  if (lastDay !== undefined && progress.caughtUpAt >= Date.parse(endOfDay(lastDay)) + SETTLED_MS) {
    changeTotals.set(key, totals);
  }
  return totals;
}

async function changedDays(reader: Reader, { organization, caller }: RegisterView): Promise<string[]> {
  const input = {
    organization_id: organization.id,
    size: MIN_EVENTS_FOR_BARS,
    view: 'SUMMARY',
    verify: false,
  } as const;
  const { changes } = (await listChanges(reader, caller, input)) as { changes: ListedChange[] };
  return [...new Set(changes.map(({ recorded_at }) => dateOf(recorded_at)))].reverse();
}
