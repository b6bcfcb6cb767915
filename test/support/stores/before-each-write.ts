/** Lets a test interrupt a process between two of its writes. */
import type { AccountStore } from '../../../src/stores/account-store.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { replaceMembers } from '../identity/identity.ts';

/** Returns stores that call `before` ahead of each write to the log or the account store. If it throws, nothing is written. */
export function beforeEachWrite<Stores extends { accounts: AccountStore; events?: EventStore }>(
  stores: Stores,
  before: () => void,
): Stores {
  const { accounts, events } = stores;
  const write = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    before();
    return work();
  };
  const observedAccounts = replaceMembers<AccountStore>(accounts, {
    insert: (...args) => write(() => accounts.insert(...args)),
    put: (...args) => write(() => accounts.put(...args)),
    update: (...args) => write(() => accounts.update(...args)),
    remove: (...args) => write(() => accounts.remove(...args)),
  });
  if (events === undefined) return { ...stores, accounts: observedAccounts };
  const append: EventStore['append'] = (...args) => write(() => events.append(...args));
  return { ...stores, accounts: observedAccounts, events: replaceMembers<EventStore>(events, { append }) };
}

/** Cuts the power after some writes: every later one fails. */
export class PowerCut {
  private writesLeft: number;

  constructor(writes = Number.POSITIVE_INFINITY) {
    this.writesLeft = writes;
  }

  /** Lets this many more writes be done. */
  after(writes: number): void {
    this.writesLeft = writes;
  }

  readonly beforeWrite = (): void => {
    this.writesLeft -= 1;
    if (this.writesLeft < 0) throw new Error('power cut');
  };
}
