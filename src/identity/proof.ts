import type { Account } from './account.ts';
import type { Session } from './sessions.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

/** Whether somebody signed in is still who they were, before something that matters. */
export class Proof {
  /** Whether the session's person proved who they are in the last 15 minutes, so that no password need be asked. */
  isRecent(session: Session): boolean {
    return unbuilt(session);
  }

  /**
   * Checks the password, or, where it is null, that the last proof is recent. Throttled like signing in.
   * @throws Refusal forbidden, rate_limited
   */
  async prove(session: Session, password: string | null, visitor: Visitor): Promise<Account> {
    return unbuilt(session, password, visitor);
  }
}
