import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../clock/monotonic.ts';
import { Refusal } from '../commands/engine/refusal.ts';
import type { Caller } from '../commands/organization/caller.ts';

/** The task's owner: a person, and the credential that the person uses. */
export type TaskOwner = Pick<Caller, 'account_id' | 'token_id'>;

/** Limits the tasks of a `FairQueue` that run or wait at once. */
export interface FairQueueLimits {
  /** Limits all running tasks. */
  total: number;
  /** Limits an account's running tasks of one kind. */
  perAccount: number;
  /** Limits all accounts' running tasks of a kind. Other kinds are limited by `total` alone. */
  perKind?: Readonly<Record<string, number>>;
  /** Limits an account's waiting tasks. Further ones are refused. By default 100. */
  waitingPerAccount?: number;
}

interface TaskOptions {
  /** Removes a task that still waits. The task itself must observe it. */
  signal?: AbortSignal | undefined;
  /** A task waits only for tasks of the same kind of its account. */
  kind?: string;
  /** The task continues an earlier one, such as a download. It is never refused. */
  isContinued?: boolean;
}

const MAX_WAITING_PER_ACCOUNT = 100;
/** After a task, its account gives way to others for as long as the task took, at most this long. */
const MAX_REST_MS = 1_000;
/** For a call that is refused because too many wait. */
const RETRY_AFTER_SECONDS = 5;
/**
 * A call is refused after this long, and an account's calls are refused with a pause between them. Clients that repeat refused
 * calls at once would otherwise take a whole processor.
 */
const REFUSE_AFTER_MS = 1_000;
const REFUSAL_PAUSE_MS = 10;
/** However many of an account's calls are refused, none waits longer for it. */
const MAX_REFUSE_AFTER_MS = 3_000;

interface WaitingTask {
  kind: string;
  start(): void;
}

interface AccountTasks {
  readonly id: string;
  /** The credentials with waiting tasks, in the order of their turns. */
  readonly waiting: Map<string, WaitingTask[]>;
  waitingCount: number;
  /** The number of running tasks, by kind. */
  readonly running: Map<string, number>;
  runningTotal: number;
  restsUntil: number;
  /** The time of the newest refusal, which may be still to come. */
  refusesAt: number;
}

/**
 * Runs a limited number of tasks at once. Accounts take turns, however many tasks or credentials one of them has. Within an
 * account its credentials take turns. While others run tasks, an account rests after each of its own for as long as it took,
 * so that many long tasks don't displace another's short ones.
 */
export class FairQueue {
  /** The accounts with tasks, in the order of their turns. */
  private readonly accounts = new Map<string, AccountTasks>();
  private readonly running = new Map<string, number>();
  private runningTotal = 0;
  private restTimer: NodeJS.Timeout | undefined;

  /** @param now milliseconds of any clock */
  constructor(
    private readonly limits: FairQueueLimits,
    private readonly now: () => number = monotonicMs,
  ) {}

  get waitingCount(): number {
    return [...this.accounts.values()].reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  /**
   * Runs a task when it is its turn.
   * @throws Refusal rate_limited if too many tasks of the account wait; the signal's reason if it is aborted before the task
   * runs; otherwise as `task` does
   */
  async run<T>(owner: TaskOwner, task: () => Promise<T>, options: TaskOptions = {}): Promise<T> {
    const { kind = '' } = options;
    const account = await this.turn(owner, kind, options);
    const startedAt = this.now();
    try {
      return await task();
    } finally {
      this.end(account, kind, this.now() - startedAt);
    }
  }

  private turn({ account_id, token_id }: TaskOwner, kind: string, options: TaskOptions): Promise<AccountTasks> {
    const { signal, isContinued } = options;
    signal?.throwIfAborted();
    const account = this.accounts.get(account_id) ?? newAccount(account_id);
    const { waitingPerAccount = MAX_WAITING_PER_ACCOUNT } = this.limits;
    if (!isContinued && account.waitingCount >= waitingPerAccount) return this.refuse(account, signal);
    return new Promise((resolve, reject) => {
      const credential = token_id ?? '';
      const tasks = account.waiting.get(credential) ?? [];
      const onAbort = () => {
        this.remove(account, credential, task);
        this.startNext();
        reject(signal?.reason);
      };
      const task: WaitingTask = {
        kind,
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(account);
        },
      };
      tasks.push(task);
      account.waiting.set(credential, tasks);
      // Accounts that wait already are before it.
      if (account.waitingCount === 0) this.accounts.delete(account_id);
      this.accounts.set(account_id, account);
      account.waitingCount += 1;
      signal?.addEventListener('abort', onAbort, { once: true });
      this.startNext();
    });
  }

  private async refuse(account: AccountTasks, signal: AbortSignal | undefined): Promise<never> {
    const now = this.now();
    const earliest = Math.max(account.refusesAt + REFUSAL_PAUSE_MS, now + REFUSE_AFTER_MS);
    account.refusesAt = Math.min(earliest, now + MAX_REFUSE_AFTER_MS);
    try {
      await pause(account.refusesAt - now, undefined, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
    const message = 'Too many calls of your account wait. Wait for their answers before you send more.';
    throw new Refusal('rate_limited', message, { retry_after_seconds: RETRY_AFTER_SECONDS });
  }

  private remove(account: AccountTasks, credential: string, task: WaitingTask): void {
    const tasks = account.waiting.get(credential)!;
    tasks.splice(tasks.indexOf(task), 1);
    account.waiting.delete(credential);
    // The credential's next turn comes after those of the account's others.
    if (tasks.length > 0) account.waiting.set(credential, tasks);
    account.waitingCount -= 1;
  }

  private end(account: AccountTasks, kind: string, tookMs: number): void {
    this.count(account, kind, -1);
    account.restsUntil = this.now() + Math.min(tookMs, MAX_REST_MS);
    this.startNext();
  }

  private count(account: AccountTasks, kind: string, change: 1 | -1): void {
    account.runningTotal += change;
    account.running.set(kind, (account.running.get(kind) ?? 0) + change);
    this.running.set(kind, (this.running.get(kind) ?? 0) + change);
    this.runningTotal += change;
  }

  /** Starts waiting tasks as long as the limits allow it. */
  private startNext(): void {
    while (this.runningTotal < this.limits.total) {
      const next = this.findNext();
      if (next === null) {
        this.wakeAfterRest();
        return;
      }
      const { account, credential, task } = next;
      this.remove(account, credential, task);
      this.count(account, task.kind, 1);
      // The account's next turn comes after those of all other accounts.
      this.accounts.delete(account.id);
      this.accounts.set(account.id, account);
      task.start();
    }
  }

  private findNext(): { account: AccountTasks; credential: string; task: WaitingTask } | null {
    for (const account of this.accounts.values()) {
      if (this.isResting(account)) continue;
      if (account.waitingCount + account.runningTotal === 0) this.accounts.delete(account.id);
      for (const [credential, tasks] of account.waiting) {
        const task = tasks.find(({ kind }) => this.hasRoom(account, kind));
        if (task !== undefined) return { account, credential, task };
      }
    }
    return null;
  }

  private hasRoom({ running }: AccountTasks, kind: string): boolean {
    const { perAccount, perKind } = this.limits;
    const limit = perKind?.[kind] ?? Number.POSITIVE_INFINITY;
    return (running.get(kind) ?? 0) < perAccount && (this.running.get(kind) ?? 0) < limit;
  }

  /** Without a limit for all, nobody takes anything from others. */
  private isResting({ restsUntil, runningTotal }: AccountTasks): boolean {
    return Number.isFinite(this.limits.total) && runningTotal < this.runningTotal && this.now() < restsUntil;
  }

  /** Looks again when the first rest of a waiting account ends. Earlier, the end of another task does. */
  private wakeAfterRest(): void {
    clearTimeout(this.restTimer);
    const rests = [...this.accounts.values()].filter((account) => account.waitingCount > 0 && this.isResting(account));
    if (rests.length === 0) return;
    const restMs = Math.min(...rests.map(({ restsUntil }) => restsUntil)) - this.now();
    this.restTimer = setTimeout(() => this.startNext(), restMs).unref();
  }
}

const newAccount = (id: string): AccountTasks => ({
  id,
  waiting: new Map(),
  waitingCount: 0,
  running: new Map(),
  runningTotal: 0,
  restsUntil: 0,
  refusesAt: 0,
});
