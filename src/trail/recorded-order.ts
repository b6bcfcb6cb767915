import type { TrailEvent } from './event.ts';

/** Clocks of several instances, and waiting appends, stay well within this. */
const CLOCK_ALLOWANCE_MS = 60_000;
/** Limit of listed runs. All of them are counted. */
const MAX_RUNS = 100;

const TIME = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * - `BEFORE`: more than 60 s before an earlier event was recorded, or an earlier seal was made.
 * - `AHEAD`: more than 60 s ahead of the reader's clock.
 */
export type OrderFinding = 'BEFORE' | 'AHEAD';

/** Events with consecutive positions that were all recorded out of order. */
export interface OutOfOrderRun {
  why: OrderFinding;
  from: number;
  until: number;
  /** The earliest and the latest `recorded_at`; empty for one that is no valid time. */
  earliest: string;
  latest: string;
  /** The log time when the run began: the newest time of an earlier event or seal. Empty for a run ahead of the clock. */
  log_time: string;
}

/** The events that were recorded out of order: a notice, not a fault, because a clock that was set back does the same. */
export interface OutOfOrder {
  events: number;
  runs: number;
  first: readonly OutOfOrderRun[];
  last: OutOfOrderRun | null;
}

export const IN_ORDER: OutOfOrder = { events: 0, runs: 0, first: [], last: null };

/** Decides which events were recorded out of order. Takes all events of a log, or of a stream, in order. */
export class RecordedOrder {
  /** @param now the reader's clock; null to compare with earlier events only */
  constructor(
    /** The newest time of an earlier event or seal. */
    public logTime = '',
    private readonly now: Date | null = null,
  ) {}

  /** Takes the next event. Returns null if it was recorded in order. */
  take({ type, data, metadata }: OrderedEvent): OrderFinding | null {
    const finding = this.find(metadata.recorded_at);
    this.advance(metadata.recorded_at);
    if (type === 'LogSealed') this.advance(data?.sealed_at);
    return finding;
  }

  private find(recordedAt: unknown): OrderFinding | null {
    if (!isTime(recordedAt) || isAfter(this.logTime, recordedAt)) return 'BEFORE';
    return this.now !== null && isAheadOf(recordedAt, this.now) ? 'AHEAD' : null;
  }

  private advance(time: unknown): void {
    if (isTime(time) && time > this.logTime) this.logTime = time;
  }
}

type OrderedEvent = Pick<TrailEvent, 'type'> & {
  data: Record<string, unknown> | null;
  metadata: Pick<TrailEvent['metadata'], 'recorded_at'>;
};

/** Returns the notices with one more event. @param logTime the log time before the event */
export function addOutOfOrder(
  { events, runs, first, last }: OutOfOrder,
  why: OrderFinding,
  position: number,
  recordedAt: unknown,
  logTime: string,
): OutOfOrder {
  const time = isTime(recordedAt) ? recordedAt : '';
  if (last === null || last.until !== position - 1 || last.why !== why) {
    const log_time = why === 'BEFORE' ? logTime : '';
    const run = { why, from: position, until: position, earliest: time, latest: time, log_time };
    return { events: events + 1, runs: runs + 1, first: first.length < MAX_RUNS ? [...first, run] : first, last: run };
  }
  const earliest = time < last.earliest ? time : last.earliest;
  const latest = time > last.latest ? time : last.latest;
  const run = { ...last, until: position, earliest, latest };
  return { events: events + 1, runs, first: runs <= MAX_RUNS ? [...first.slice(0, -1), run] : first, last: run };
}

/** Returns a notice as text. */
export function outOfOrderText({ why, from, until, earliest, latest, log_time }: OutOfOrderRun): string {
  const positions = from === until ? `position ${from}` : `positions ${from} to ${until}`;
  const times = earliest === latest ? earliest || 'no valid time' : `${earliest || 'no valid time'} to ${latest}`;
  const reason =
    why === 'AHEAD' ? 'ahead of the clock of the reader' : `after an event or seal of ${log_time || 'no time'}`;
  return `${positions}, recorded at ${times}, ${reason}`;
}

function isTime(value: unknown): value is string {
  if (typeof value !== 'string' || !TIME.test(value)) return false;
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value;
}

/** Returns true if a time is ahead of a clock by more than the allowance. */
export function isAheadOf(time: string, now: Date): boolean {
  return Date.parse(time) - now.getTime() > CLOCK_ALLOWANCE_MS;
}

/** Returns true if a time is after another one by more than the allowance. */
function isAfter(time: string, other: string): boolean {
  return Date.parse(time) - Date.parse(other) > CLOCK_ALLOWANCE_MS;
}
