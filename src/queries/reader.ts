import { Refusal } from '../commands/refusal.ts';
import type { AccountStore } from '../stores/account-store.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { Checkpoint, ReadModels } from '../stores/read-store.ts';

/** What queries read from; put together in app.ts. */
export interface Reader {
  /** The generation that is served now. */
  readonly models: ReadModels;
  /** How far the read models are. */
  readonly progress: {
    waitUntilCaughtUp(moment: number, ms: number): Promise<boolean>;
    waitUntilPosition(organizationId: string, position: number, ms: number): Promise<boolean>;
    checkpoint(organizationId: string): Checkpoint | null;
    readonly caughtUpAt: number;
  };
  /** For proofs only. */
  events: EventStore;
  accounts: AccountStore;
  /** Signs cursors; the same on every instance. */
  cursorKey: Buffer;
  now: () => Date;
  /** Limits how many events one verification reads, where not as usual. */
  maxEventsVerified?: number | undefined;
}

/** How long a read waits for projections to reach the moment it asks for. */
export const READ_WAIT_MS = 5_000;

export function notCaughtUp(): Refusal {
  return new Refusal(
    'unavailable',
    'The read models have not caught up with that moment yet: repeat the call shortly.',
    {
      retry_after_seconds: 2,
    },
  );
}

/** Whether the organization has an event that no read model could digest. */
export function isIncomplete({ progress }: Pick<Reader, 'progress'>, organizationId: string): boolean {
  return (progress.checkpoint(organizationId)?.parked ?? 0) > 0;
}
