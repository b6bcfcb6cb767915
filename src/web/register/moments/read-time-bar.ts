import { addDays, dateOf, endOfDay } from '../../../commands/engine/dates.ts';
import {
  type ChangeSource,
  changeTimes,
  type NeighbouringMoments,
  neighbouringMoments,
} from '../../../queries/changes/change-times.ts';
import { dailyFigures } from '../../../queries/figures/daily-figures.ts';
import { logTimeOf, SETTLED_MS } from '../../../queries/moments/moment.ts';
import type { Snapshot } from '../../../queries/moments/snapshot.ts';
import { coveringSeal } from '../../../queries/proofs/covering-seal.ts';
import type { RegisterView } from '../open-register.ts';
import { cachePerSnapshot } from '../snapshot-cache.ts';

/** Numbers of changes until days that have ended. */
const totalsOf = cachePerSnapshot<readonly number[]>();

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

/** The changes of an organization or a record over time. */
export interface TimeBarContent {
  /** At most 120, the earliest first; empty with few events. */
  steps: readonly TimeBarStep[];
  /** Days with changes, if there are few events. */
  days: readonly string[];
  firstDay: string;
  sealedDay: string | null;
  neighbours: NeighbouringMoments;
}

/** Reads the organization's changes over time. Returns null before the first one. */
export async function readTimeBar(view: RegisterView): Promise<TimeBarContent | null> {
  const { snapshot, organization, today } = view;
  const source = changesOf(view);
  const firstTime = await logTimeOf(snapshot, organization.id, 1);
  if (firstTime === null) return null;
  const newest = snapshot.newestPosition(organization.id);
  if (newest < MIN_EVENTS_FOR_BARS) return timeBarOfTimes(view, source, await changeTimes(source));
  const ends = stepEnds(dateOf(firstTime), today);
  const ended = await changesUntil(snapshot, organization.id, ends.slice(0, -1));
  return timeBar(view, source, { firstDay: dateOf(firstTime), steps: stepsOf(ends, [...ended, newest]), days: [] });
}

/** Reads a record's changes over time, later ones than the moment shown too. Returns null for a record without any. */
export async function readRecordTimeBar(view: RegisterView, recordId: string): Promise<TimeBarContent | null> {
  const source = changesOf(view, recordId);
  const times = await changeTimes(source);
  return times.length === 0 ? null : timeBarOfTimes(view, source, times);
}

function changesOf({ snapshot, caller, organization }: RegisterView, recordId?: string): ChangeSource {
  return { snapshot, caller, organizationId: organization.id, recordId };
}

/** @param times of the changes, the earliest first */
function timeBarOfTimes(view: RegisterView, source: ChangeSource, times: readonly string[]): Promise<TimeBarContent> {
  const days = times.map(dateOf);
  const firstDay = days[0]!;
  if (days.length < MIN_EVENTS_FOR_BARS)
    return timeBar(view, source, { firstDay, steps: [], days: [...new Set(days)] });
  const ends = stepEnds(firstDay, view.today);
  const totals = ends.map((end) => days.findLastIndex((day) => day <= end) + 1);
  return timeBar(view, source, { firstDay, steps: stepsOf(ends, totals), days: [] });
}

async function timeBar(
  { snapshot, organization, past }: RegisterView,
  source: ChangeSource,
  content: Pick<TimeBarContent, 'firstDay' | 'steps' | 'days'>,
): Promise<TimeBarContent> {
  const seal = await coveringSeal(snapshot, organization.id, null);
  return {
    ...content,
    sealedDay: seal === null ? null : dateOf(seal.sealed_at),
    neighbours: await neighbouringMoments(source, past?.position ?? null),
  };
}

/** @param totals the number of changes until the end of each step */
function stepsOf(ends: readonly string[], totals: readonly number[]): TimeBarStep[] {
  return ends.map((day, index) => ({ day, changes: totals[index]! - (totals[index - 1] ?? 0) }));
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
  const lastDay = days.at(-1);
  const key = [organizationId, days.length, days[0], lastDay].join();
  const cached = totalsOf(snapshot).get(key);
  if (cached !== undefined) return cached;
  // Read before the figures: an event that arrives meanwhile may be missing there.
  const isSettled = lastDay !== undefined && snapshot.progress.caughtUpAt >= Date.parse(endOfDay(lastDay)) + SETTLED_MS;
  const figures = await dailyFigures(snapshot.models, { organizationId }, days);
  const totals = figures.map((figure) => figure?.changes ?? 0);
  if (isSettled) totalsOf(snapshot).set(key, totals);
  return totals;
}
