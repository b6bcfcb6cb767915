import type { Session } from './sessions.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

/** Ten codes to get in with when the device is lost, each good for once. How many are left: `account.recovery.length`. */
export class Recovery {
  /** New codes, shown this once; the old ones are void. @throws Refusal forbidden; invalid_transition without a factor */
  async regenerate(session: Session, password: string | null, visitor: Visitor): Promise<string[]> {
    return unbuilt(this, session, password, visitor);
  }
}
