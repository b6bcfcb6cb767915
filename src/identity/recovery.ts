import { Refusal } from '../commands/refusal.ts';
import type { AccountStore } from '../stores/account-store.ts';
import { type Account, toAccount } from './account.ts';
import type { OnAccountEvent } from './account-events.ts';
import type { ClientInfo } from './client-info.ts';
import type { Factors } from './factors.ts';
import type { RecentAuthentication } from './recent-authentication.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import type { Session } from './sessions.ts';
import { updateAtomically } from './update-atomically.ts';

export interface RecoveryOptions {
  accounts: AccountStore;
  factors: Factors;
  recentAuthentication: RecentAuthentication;
  onAccountEvent: OnAccountEvent;
}

/** Ten codes to get in with when the device is lost, each good for once. How many are left: `account.recovery.length`. */
export class Recovery {
  constructor(private readonly options: RecoveryOptions) {}

  /** New codes, shown this once; the old ones are void. @throws Refusal forbidden; invalid_transition without a factor */
  async regenerate(session: Session, password: string | null, clientInfo: ClientInfo): Promise<string[]> {
    const { factors, recentAuthentication, onAccountEvent } = this.options;
    const account = await recentAuthentication.requirePasswordOrRecent(session, password, clientInfo);
    if ((await factors.of(account)).length === 0) {
      throw new Refusal('invalid_transition', 'Recovery codes stand in for a second factor: add one first.');
    }
    const codes = await factors.renewRecoveryCodes(account.id);
    onAccountEvent({ type: 'RECOVERY_CODES_CREATED', account_id: account.id, clientInfo });
    return codes;
  }

  /** Uses a code up. Answers how many are left; null for one that is wrong or used. */
  async use(accountId: string, code: string): Promise<number | null> {
    const hash = hashRecoveryCode(code);
    const changed = await updateAtomically<Account>(this.options.accounts, 'accounts', accountId, (found) => {
      const recovery = found === null ? [] : toAccount(found).recovery;
      return recovery.includes(hash) ? { recovery: recovery.filter((kept) => kept !== hash) } : null;
    });
    return changed?.recovery.length ?? null;
  }
}
