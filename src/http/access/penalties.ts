import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../commands/organization/caller.ts';
import { ProtocolError } from '../../mcp/protocol/protocol-message.ts';
import { HttpError } from '../http-errors.ts';
import { refuseUntil } from './rate-limits.ts';

/** The next call of a credential waits this many times the time that its invalid call took … */
const WAIT_FACTOR = 30;
/** … but at most this long. */
const MAX_WAIT_MS = 1_000;
/** Receiving this many bytes takes about a millisecond of CPU. */
const BYTES_PER_MS = 1 << 20;
/** Calls of one credential that may wait at the same time. */
const MAX_WAITING = 100;
const MAX_CREDENTIALS = 10_000;

/** A credential that sent an invalid call: when it may continue, and its last waiting call. */
interface Lane {
  freeAt: number;
  last: Promise<unknown>;
  waiting: number;
  /** True after a legal call has waited. Later calls need not queue behind those that still wait. */
  isPaid: boolean;
}

type Receive = () => Promise<Buffer>;
/** Returns true if the call was invalid. */
type Answer = (body: Buffer) => Promise<boolean>;

/**
 * Makes a credential wait after invalid calls, because they cost CPU time of other callers. While it waits, its calls are
 * answered one after another. Legal calls cause no wait.
 */
export class Penalties {
  private readonly lanes = new LRUCache<string, Lane>({ max: MAX_CREDENTIALS });

  /**
   * Receives and answers a call as soon as its credential may continue.
   * @throws HttpError 429 when too many calls of the credential wait
   */
  async run(caller: Caller, receive: Receive, answer: Answer): Promise<void> {
    const key = caller.token_id ?? caller.account_id;
    const lane = this.lanes.get(key);
    if (lane === undefined || lane.isPaid) return this.serve(key, receive, answer);
    if (lane.waiting >= MAX_WAITING) refuseUntil(MAX_WAIT_MS);
    lane.waiting += 1;
    const turn = lane.last.then(() => pause(Math.max(0, lane.freeAt - performance.now())));
    const answered = turn.then(async () => {
      const { freeAt } = lane;
      await this.serve(key, receive, answer);
      lane.isPaid = lane.freeAt === freeAt;
    });
    lane.last = answered.catch(() => undefined);
    try {
      await answered;
    } finally {
      lane.waiting -= 1;
      if (lane.waiting === 0 && lane.isPaid) this.lanes.delete(key);
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
      if (isInvalidCall) this.charge(key, body.length / BYTES_PER_MS + performance.now() - startedAt);
    }
  }

  private charge(key: string, ms: number): void {
    const now = performance.now();
    const lane = this.lanes.get(key) ?? { freeAt: now, last: Promise.resolve(), waiting: 0, isPaid: false };
    lane.isPaid = false;
    lane.freeAt = Math.min(Math.max(now, lane.freeAt) + ms * WAIT_FACTOR, now + MAX_WAIT_MS);
    this.lanes.set(key, lane);
  }
}
