import { Refusal } from '../../commands/engine/refusal.ts';
import type { Account } from '../accounts/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { ClientInfo } from '../client-info.ts';
import { generateSecret, secretId } from './secret-text.ts';
import type { SignIn, SignInStep } from './sign-in.ts';

export interface DemoAccount {
  account_id: string;
  /** One sentence about what this person looks for in the register. */
  interest: string;
}

export interface DemoSignInOptions {
  accounts: Pick<Accounts, 'get'>;
  signIn: SignIn;
}

/**
 * Signs in as the people of the demo, who have no passwords. Their link `/demo?key=<secret>` works any number of times, until
 * the service stops. Only a service that was started with the demo opens it.
 */
export class DemoSignIn {
  #linkId: string | null = null;
  #people: readonly DemoAccount[] = [];

  constructor(private readonly options: DemoSignInOptions) {}

  /** Opens the sign-in for these people. Returns the link's secret, which is kept only as its hash. */
  open(people: readonly DemoAccount[]): string {
    const secret = generateSecret();
    this.#linkId = secretId(secret);
    this.#people = people;
    return secret;
  }

  get isOpen(): boolean {
    return this.#linkId !== null;
  }

  /** Returns true for an account of the demo, while the sign-in is open. */
  includes(accountId: string): boolean {
    return this.#people.some(({ account_id }) => account_id === accountId);
  }

  /**
   * Refuses everybody but people with the link and people who are signed in as one of the demo.
   * @param accountId the signed-in account; null without one
   * @throws Refusal not_found
   */
  requireGuest(secret: string, accountId: string | null): void {
    if (accountId !== null && this.includes(accountId)) return;
    if (this.#linkId !== null && secretId(secret) === this.#linkId) return;
    const message = 'This link leads to no demo. Start the service with --demo, and open the link that it prints.';
    throw new Refusal('not_found', message);
  }

  /** Returns the people to sign in as. An account with a password or a provider belongs to somebody by now. */
  async people(): Promise<{ account: Account; interest: string }[]> {
    const found = await Promise.all(
      this.#people.map(async ({ account_id, interest }) => ({
        account: await this.options.accounts.get(account_id),
        interest,
      })),
    );
    return found.flatMap(({ account, interest }) => (isUnowned(account) ? [{ account, interest }] : []));
  }

  /** @throws Refusal not_found if the account is not one of `people` */
  async signIn(accountId: string, clientInfo: ClientInfo): Promise<SignInStep> {
    const person = (await this.people()).find(({ account }) => account.id === accountId);
    if (person === undefined) throw new Refusal('not_found', 'The demo has no such person. Choose another.');
    return this.options.signIn.withVerifiedAccount(person.account, 'LINK', clientInfo);
  }
}

function isUnowned(account: Account | null): account is Account {
  return account !== null && account.erased_at === null && account.password === null && account.subject === null;
}
