import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import type { OnAccountEvent } from '../access-log/access-events.ts';
import { type Account, toAccount } from '../accounts/account.ts';
import type { ClientInfo } from '../client-info.ts';
import type { Session } from '../sign-in/sessions.ts';
import { updateAtomically } from '../update-atomically.ts';
import type { Factors } from './factors.ts';
import type { RecentAuthentication } from './recent-authentication.ts';
import { hashRecoveryCode } from './recovery-codes.ts';

export interface RecoveryOptions {
  accounts: AccountStore;
  factors: Factors;
  recentAuthentication: RecentAuthentication;
  onAccountEvent: OnAccountEvent;
}

/** Recovery codes, for signing in without the second factor. Each works once; `account.recovery.length` are left. */
export class Recovery {
  constructor(private readonly options: RecoveryOptions) {}

  /** Replaces the codes. The new ones are returned only here. @throws Refusal forbidden; invalid_transition without a factor */
  async regenerate(session: Session, password: string | null, clientInfo: ClientInfo): Promise<string[]> {
    const { factors, recentAuthentication, onAccountEvent } = this.options;
    const account = await recentAuthentication.requirePasswordOrRecent(session, password, clientInfo);
    if ((await factors.of(account)).length === 0) {
      throw new Refusal('invalid_transition', 'Recovery codes replace a second factor. Add a second factor first.');
    }
    const codes = await factors.renewRecoveryCodes(account.id);
    onAccountEvent({ type: 'RECOVERY_CODES_CREATED', account_id: account.id, clientInfo });
    return codes;
  }

  /** Uses a code. Returns the number of codes left, or null for a wrong or used code. */
  async use(accountId: string, code: string): Promise<number | null> {
    const hash = hashRecoveryCode(code);
    const updated = await updateAtomically<Account>(this.options.accounts, 'accounts', accountId, (account) => {
      const recovery = account === null ? [] : toAccount(account).recovery;
      return recovery.includes(hash) ? { recovery: recovery.filter((remaining) => remaining !== hash) } : null;
    });
    return updated?.recovery.length ?? null;
  }
}
