import type { Caller, Role } from '../commands/caller.ts';
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
    caughtUp(moment: number, ms: number): Promise<boolean>;
    reached(organization: string, ordinal: number, ms: number): Promise<boolean>;
    checkpoint(organization: string): Checkpoint | null;
    readonly caughtUpAt: number;
  };
  /** For proofs only. */
  events: EventStore;
  accounts: AccountStore;
  /** Signs cursors; the same on every instance. */
  cursorKey: Buffer;
  now: () => Date;
}

/** How long a read waits for projections to reach the moment it asks for. */
export const READ_WAIT_MS = 5_000;

/** The caller's role in an organization. @throws Refusal not_found: nothing tells whether it exists */
export function roleIn(caller: Caller, organizationId: string): Role {
  const role = caller.roles.get(organizationId);
  if (role !== undefined) return role;
  throw new Refusal(
    'not_found',
    'There is no such organization for this token: listOrganizations names those there are.',
    {
      field: 'organization_id',
    },
  );
}

export function refuseViewer(role: Role, what: string): void {
  if (role === 'VIEWER')
    throw new Refusal('forbidden', `A VIEWER sees today's state only: ask for the AUDITOR role to read ${what}.`);
}

export function behind(): Refusal {
  return new Refusal(
    'unavailable',
    'The read models have not caught up with that moment yet: repeat the call shortly.',
    {
      retry_after_seconds: 2,
    },
  );
}
