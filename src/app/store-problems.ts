import { monotonicMs } from '../clock/monotonic.ts';
import { Refusal } from '../commands/engine/refusal.ts';
import { StoreRefused, StoreReplaced, StoreUnavailable, StreamDamaged } from '../stores/errors.ts';

/** The same failure is logged once in this time. */
const LOG_PAUSE_MS = 60_000;
/** Health lists a problem for this long after it was last seen. */
const LISTED_MS = 600_000;
/** Limit of different failures that are remembered. Further ones are dropped until one of them is forgotten. */
const MAX_PROBLEMS = 100;

interface Problem {
  /** The sentence for health, which callers of any organization see. Null if no operator is needed. */
  text: string | null;
  loggedAt: number;
  seenAt: number;
}

/**
 * Logs the failures of stores with their causes, which callers aren't told. An outage fails every call, so each failure is
 * logged at most once a minute. Lists for health those that last until the operator acts.
 */
export class StoreProblems {
  private readonly problems = new Map<string, Problem>();

  constructor(private readonly log: { warn(details: object, message: string): void }) {}

  /** Reports an error, or the cause of a refusal. Returns false, and does nothing, if it is no failure of a store. */
  report(thrown: unknown): boolean {
    const error = thrown instanceof Refusal ? thrown.cause : thrown;
    if (!isFailure(error)) return false;
    const now = monotonicMs();
    this.forget(now);
    const earlier = this.problems.get(error.message);
    if (earlier === undefined && this.problems.size >= MAX_PROBLEMS) return true;
    const isLogged = earlier !== undefined && now - earlier.loggedAt < LOG_PAUSE_MS;
    if (!isLogged) this.log.warn({ err: error }, 'a store failed');
    this.problems.set(error.message, {
      text: textForHealth(error),
      loggedAt: isLogged ? earlier.loggedAt : now,
      seenAt: now,
    });
    return true;
  }

  /** Returns the problems of the last ten minutes that last until the operator acts, a sentence or two each. */
  list(): string[] {
    this.forget(monotonicMs());
    return [...new Set([...this.problems.values()].flatMap(({ text }) => text ?? []))];
  }

  private forget(now: number): void {
    for (const [message, { seenAt }] of this.problems) {
      if (now - seenAt > LISTED_MS) this.problems.delete(message);
    }
  }
}

type Failure = StoreUnavailable | StoreReplaced | StreamDamaged;

function isFailure(error: unknown): error is Failure {
  return [StoreUnavailable, StoreReplaced, StreamDamaged].some((failure) => error instanceof failure);
}

/**
 * Returns a problem for health, without a stream's name, because another organization's callers see it too. Health asks the
 * stores themselves if they were replaced.
 */
function textForHealth(error: Failure): string | null {
  if (error instanceof StoreRefused) return `${error.finding} ${error.advice}`;
  if (error instanceof StreamDamaged) return `A stored history is damaged: ${error.finding}. The log names its stream.`;
  return null;
}
