import type { Caller } from '../commands/caller.ts';
import type { AccessType } from '../queries/access-entry.ts';
import type { AccountStore } from '../stores/account-store.ts';
import type { AccountEvent } from './noted.ts';
import type { Visitor } from './visitor.ts';

/** What is told to the access log. Names, token texts and passwords have no place in it. */
export interface AccessEntry {
  event_type: AccessType;
  /** `acc_…` or `tok_…`: who did it; null where nobody is known. */
  actor_id: string | null;
  /** Whose account it is about, where that is not the actor: a token's owner, or whose name was tried. */
  account_id?: string | null;
  /** What else it is about, by its id. */
  about?: string;
  /** Who is to see it; unless given, the organizations that the account is a member of. */
  organizations?: readonly string[];
  visitor?: Visitor;
  /** An assistant's name; a person's browser is known from the visitor. */
  client?: string | null;
  details?: Readonly<Record<string, string | number>>;
}

export interface AccessLogParts {
  accounts: AccountStore;
  /** Where an account is a member now. */
  organizationsOf(accountId: string): Promise<readonly string[]>;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

/** Who came in, and who was refused. Telling it neither waits nor throws, and no call depends on it. */
export class AccessLog {
  constructor(readonly parts: AccessLogParts) {}

  /** Something done by somebody who is known: a row of its own. */
  note(_entry: AccessEntry): void {}

  /** A refusal: one more in its hour. Without account_id and organizations it is the whole installation's. */
  refused(_entry: AccessEntry): void {}

  /** A call with a token: one more on its day, in every organization that it reaches. */
  used(_caller: Caller, _client?: string | null): void {}

  /** What people's accounts tell: hand it to them as it is. */
  readonly noted = (_event: AccountEvent): void => {};

  /** Begins to write every few seconds. */
  start(): void {}

  /** Writes all that there is, and stops. Never rejects. */
  async close(): Promise<void> {}
}
