import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Caller, credentialOf } from '../../commands/organization/caller.ts';
import { ProtocolError } from '../../mcp/protocol/protocol-message.ts';
import { HttpError } from '../http-errors.ts';
import { refuseUntil } from './rate-limits.ts';

/** A credential's next call waits this many times as long as its invalid call took, at most `MAX_WAIT_MS`. */
const WAIT_FACTOR = 30;
const MAX_WAIT_MS = 1_000;
/** Receiving this many bytes takes about a millisecond of CPU. */
const BYTES_PER_MS = 1 << 20;
/** Calls of one credential that may wait at the same time. */
const MAX_WAITING = 100;
const MAX_CREDENTIALS = 10_000;

/** A credential that sent an invalid call: when it may continue, and its last waiting call. */
interface CallQueue {
  waitEndsAt: number;
  lastCall: Promise<unknown>;
  waitingCount: number;
  /** True after a valid call has waited. Later calls then start at once, even while earlier ones still wait. */
  isWaitOver: boolean;
}

type Receive = () => Promise<Buffer>;
/** Returns true if the call was invalid. */
type Answer = (body: Buffer) => Promise<boolean>;

/**
 * Makes a credential wait after invalid calls, because they take CPU time from other callers. While it waits, its calls are
 * answered one after another. Valid calls cause no wait.
 */
export class Penalties {
  private readonly queues = new LRUCache<string, CallQueue>({ max: MAX_CREDENTIALS });

  /**
   * Receives and answers a call as soon as its credential may continue.
   * @throws HttpError 429 when too many calls of the credential wait
   */
  async run(caller: Caller, receive: Receive, answer: Answer): Promise<void> {
    const key = credentialOf(caller);
    const queue = this.queues.get(key);
    if (queue === undefined || queue.isWaitOver) return this.serve(key, receive, answer);
    if (queue.waitingCount >= MAX_WAITING) refuseUntil(MAX_WAIT_MS);
    queue.waitingCount += 1;
    const turn = queue.lastCall.then(() => pause(Math.max(0, queue.waitEndsAt - performance.now())));
    const answered = turn.then(async () => {
      const { waitEndsAt } = queue;
      await this.serve(key, receive, answer);
      queue.isWaitOver = queue.waitEndsAt === waitEndsAt;
    });
    queue.lastCall = answered.catch(() => undefined);
    try {
      await answered;
    } finally {
      queue.waitingCount -= 1;
      if (queue.waitingCount === 0 && queue.isWaitOver) this.queues.delete(key);
    }
  }

  private async serve(key: string, receive: Receive, answer: Answer): Promise<void> {
    const body = await receive();
    const startedAt = performance.now();
    let isInvalidCall = false;
    try {
      isInvalidCall = await answer(body);
    } catch (error) {
      isInvalidCall = (error instanceof HttpError || error instanceof ProtocolError) && error.status === 400;
      throw error;
    } finally {
      if (isInvalidCall) this.extendWait(key, body.length / BYTES_PER_MS + performance.now() - startedAt);
    }
  }

  private extendWait(key: string, ms: number): void {
    const now = performance.now();
    const queue = this.queues.get(key) ?? {
      waitEndsAt: now,
      lastCall: Promise.resolve(),
      waitingCount: 0,
      isWaitOver: false,
    };
    queue.isWaitOver = false;
    queue.waitEndsAt = Math.min(Math.max(now, queue.waitEndsAt) + ms * WAIT_FACTOR, now + MAX_WAIT_MS);
    this.queues.set(key, queue);
  }
}
