import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { Checkpoint, ReadModels } from '../../stores/read-store.ts';

/** The stores and settings that queries read from. */
export interface Reader {
  /** The read models of the generation that is served now. */
  readonly models: ReadModels;
  /** The read models' progress through the log. */
  readonly progress: {
    waitUntilCaughtUp(moment: number, ms: number): Promise<boolean>;
    waitUntilPosition(organizationId: string, position: number, ms: number): Promise<boolean>;
    checkpoint(organizationId: string): Checkpoint | null;
    readonly caughtUpAt: number;
  };
  /** The log, for proofs only. */
  events: EventStore;
  accounts: AccountStore;
  /** The key that signs cursors, the same on every instance. */
  cursorKey: Buffer;
  now: () => Date;
  /** Events that one verification may read, if not the default. */
  maxEventsVerified?: number | undefined;
}

/** The time a read waits for the projections to reach its moment. */
export const READ_WAIT_MS = 5_000;

/** Returns the refusal for a read whose moment the projections did not reach in time. */
export function notCaughtUp(): Refusal {
  return new Refusal(
    'unavailable',
    'The read models have not reached that moment yet. Repeat the call in a few seconds.',
    {
      retry_after_seconds: 2,
    },
  );
}

/** Returns true if the organization has a parked event, so that lists may miss something. */
export function isIncomplete({ progress }: Pick<Reader, 'progress'>, organizationId: string): boolean {
  return (progress.checkpoint(organizationId)?.parked ?? 0) > 0;
}
