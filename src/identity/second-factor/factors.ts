import type { AccountStore } from '../../stores/account-store.ts';
import { type Account, type Factor, toAccount } from '../accounts/account.ts';
import type { Session } from '../sign-in/sessions.ts';
import { generateRecoveryCodes } from './recovery-codes.ts';

/**
 * The second factors of an account. Adding the first one creates recovery codes; removing the last one deletes them.
 */
export class Factors {
  constructor(private readonly accounts: AccountStore) {}

  /** Returns the factors that can complete a sign-in. Empty if the password is enough. */
  async of(account: Account): Promise<Factor[]> {
    const { apps, passkeys } = await this.count(account);
    if (apps + passkeys === 0) return [];
    const factors: Factor[] = [];
    if (apps > 0) factors.push('TOTP');
    if (passkeys > 0) factors.push('PASSKEY');
    if (account.recovery.length > 0) factors.push('RECOVERY_CODE');
    return factors;
  }

  /**
   * Must be called after a factor was added. For the first factor, returns recovery codes, which are shown only once,
   * and ends all other
   * sessions, because they were opened with the password alone. Returns null for further factors.
   */
  async afterAdded({ id, account_id }: Session): Promise<string[] | null> {
    const account = await this.account(account_id);
    const { apps, passkeys } = await this.count(account);
    if (apps + passkeys !== 1) return null;
    const generation = account.generation + 1;
    await this.accounts.update('accounts', account_id, { generation }, { erased_at: null });
    await this.accounts.update('sessions', id, { generation });
    return this.renewRecoveryCodes(account_id);
  }

  /** Must be called after a factor was removed. Deletes the recovery codes if it was the last one. */
  async afterRemoved(accountId: string): Promise<void> {
    const { apps, passkeys } = await this.count(await this.account(accountId));
    if (apps + passkeys === 0) await this.accounts.update('accounts', accountId, { recovery: [] }, { erased_at: null });
  }

  async renewRecoveryCodes(accountId: string): Promise<string[]> {
    const { codes, hashes } = generateRecoveryCodes();
    await this.accounts.update('accounts', accountId, { recovery: hashes }, { erased_at: null });
    return codes;
  }

  /**
   * Removes all factors, for the operator to help somebody who lost them. The password alone is then enough.
   * @returns the kinds of factors that were removed
   */
  async removeAll(accountId: string): Promise<Exclude<Factor, 'RECOVERY_CODE'>[]> {
    const before = await this.of(await this.account(accountId));
    await this.removePasskeys(accountId);
    await this.accounts.update('accounts', accountId, { totp: null, recovery: [] }, { erased_at: null });
    return before.filter((factor) => factor !== 'RECOVERY_CODE');
  }

  async removePasskeys(accountId: string): Promise<void> {
    for (const { id } of await this.accounts.find('passkeys', 'account_id', accountId)) {
      await this.accounts.remove('passkeys', id);
    }
  }

  private async count(account: Account): Promise<{ apps: number; passkeys: number }> {
    const passkeys = await this.accounts.find('passkeys', 'account_id', account.id);
    return { apps: account.totp === null ? 0 : 1, passkeys: passkeys.length };
  }

  private async account(id: string): Promise<Account> {
    return toAccount((await this.accounts.get('accounts', id)) ?? { id });
  }
}
