import type { ClockDoubt } from './clock-in-doubt.ts';

/** The wall clock has jumped when it moved by more than this against the boot clock. */
export const JUMP_MS = 5_000;
/** A jump is over when the clock is back within this. */
const BACK_MS = 1_000;
/** A clock keeps still while it moves by less than this against the boot clock. */
const STILL_MS = 1_000;
/** A clock in doubt that kept still this long is trusted. */
const STILL_FOR_MS = 30_000;
/** Nobody knows what the clock did between two looks further apart than this, so the time of stillness begins anew. */
const MAX_UNSEEN_MS = 5_000;
/** The part of the time passed by which the trusted difference follows the clock. NTP corrects drift half as fast. */
const MAX_DRIFT = 0.001;

/**
 * A reading of wall clock and boot clock, in milliseconds. Their difference stays the same, also while the machine sleeps,
 * until somebody sets the wall clock.
 */
export interface ClockReading {
  difference: number;
  boot: number;
}

/** The evidence that a start has about the clock. Null stands for: not known. */
export interface StartEvidence {
  /** The difference that was trusted in the last run, since the same start of the machine. */
  lastRun: number | null;
  /** The database's clock minus the boot clock. */
  database: number | null;
  /** The time of the newest event, in epoch milliseconds. */
  newestEvent: number | null;
  /** True if the log is empty: there is no history that a wrong clock could falsify. */
  isLogEmpty: boolean;
}

interface Doubt {
  cause: ClockDoubt;
  /** The difference that is right as far as is known. Null if none is known. */
  reference: number | null;
  stillSince: ClockReading;
}

/** Decides which difference of wall clock and boot clock is trusted. Reads no clock itself. */
export class ClockTrust {
  private doubt: Doubt | null = null;
  private last: ClockReading;
  private trusted: number;

  /** @param evidence by default, the first reading is trusted */
  constructor(first: ClockReading, evidence?: StartEvidence) {
    this.last = first;
    this.trusted = first.difference;
    if (evidence !== undefined) this.doubt = doubtAtStart(first, evidence);
  }

  /** The reason why the clock isn't trusted; null if it is. */
  get cause(): ClockDoubt | null {
    return this.doubt?.cause ?? null;
  }

  /** The difference that counts now: the trusted one; in a doubt the one that was right as far as is known, if any. */
  get difference(): number | null {
    return this.doubt === null ? this.trusted : this.doubt.reference;
  }

  /** The time after which a clock that keeps still is trusted; 0 if it is. */
  get remainingMs(): number {
    return this.doubt === null ? 0 : Math.max(0, STILL_FOR_MS - (this.last.boot - this.doubt.stillSince.boot));
  }

  /** Takes a reading into account. Returns true if a doubt begins or ends with it. */
  look(reading: ClockReading): boolean {
    const cause = this.cause;
    if (this.doubt === null) this.follow(reading);
    else this.reconsider(this.doubt, reading);
    this.last = reading;
    return this.cause !== cause;
  }

  private follow(reading: ClockReading): void {
    const moved = reading.difference - this.trusted;
    if (Math.abs(moved) > JUMP_MS) {
      this.doubt = { cause: 'JUMPED', reference: this.trusted, stillSince: reading };
      return;
    }
    const drift = Math.max(0, reading.boot - this.last.boot) * MAX_DRIFT;
    this.trusted += Math.min(drift, Math.max(-drift, moved));
  }

  private reconsider(doubt: Doubt, reading: ClockReading): void {
    const { reference, stillSince } = doubt;
    if (reference !== null && isNear(reading.difference, reference, BACK_MS)) this.endDoubt(reference);
    else if (
      !isNear(reading.difference, stillSince.difference, STILL_MS) ||
      reading.boot - this.last.boot > MAX_UNSEEN_MS
    )
      doubt.stillSince = reading;
    else if (reading.boot - stillSince.boot >= STILL_FOR_MS) this.endDoubt(reading.difference);
  }

  private endDoubt(difference: number): void {
    this.trusted = difference;
    this.doubt = null;
  }
}

const isNear = (a: number, b: number, limit: number): boolean => Math.abs(a - b) < limit;

/** Returns the doubt with which a start begins; null if the evidence shows that the clock is right. */
function doubtAtStart(first: ClockReading, evidence: StartEvidence): Doubt | null {
  const { lastRun, database, newestEvent, isLogEmpty } = evidence;
  const reference = lastRun ?? database;
  const doubt = (cause: ClockDoubt, right: number | null): Doubt => ({ cause, reference: right, stillSince: first });
  if (reference !== null && Math.abs(first.difference - reference) > JUMP_MS)
    return doubt(lastRun === null ? 'DIFFERS_FROM_DATABASE' : 'DIFFERS_FROM_LAST_RUN', reference);
  // The rest agrees, so nothing says what the right time would be. Another instance's clock may be a little ahead.
  if (newestEvent !== null && first.difference + first.boot < newestEvent - JUMP_MS)
    return doubt('BEFORE_NEWEST_EVENT', null);
  return reference === null && !isLogEmpty ? doubt('NOT_CONFIRMED', null) : null;
}
