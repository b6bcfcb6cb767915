import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../commands/caller.ts';
import { ProtocolError } from '../mcp/protocol-message.ts';
import { HttpError } from './http-errors.ts';
import { refuseUntil } from './rate-limits.ts';

/** A credential's next call waits so many times as long as its illegal call kept the service busy … */
const WAIT_FACTOR = 30;
/** … but no longer than this. */
const MAX_WAIT_MS = 1_000;
/** To receive so many bytes keeps the service busy for about a millisecond. */
const BYTES_PER_MS = 1 << 20;
/** Calls of one credential that may wait. */
const MAX_WAITING = 100;
const MAX_CREDENTIALS = 10_000;

/** A credential that has sent an illegal call: from when it may go on, and the call that its next one follows. */
interface Lane {
  freeAt: number;
  last: Promise<unknown>;
  waiting: number;
  /** A legal call has had its turn since: who comes now need not follow those who wait. */
  isPaid: boolean;
}

type Receive = () => Promise<Buffer>;
/** Returns whether the call was illegal. */
type Answer = (body: Buffer) => Promise<boolean>;

/**
 * Makes credentials wait for what their illegal calls cost, so that others do not. While one waits, its calls are read
 * and answered one after the other. Legal calls cost nothing here.
 */
export class Penalties {
  private readonly lanes = new LRUCache<string, Lane>({ max: MAX_CREDENTIALS });

  /**
   * Receives a call and answers it, when its credential may go on.
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
    const began = performance.now();
    let illegal = false;
    try {
      illegal = await answer(body);
    } catch (error) {
      illegal = (error instanceof HttpError || error instanceof ProtocolError) && error.status === 400;
      throw error;
    } finally {
      if (illegal) this.charge(key, body.length / BYTES_PER_MS + performance.now() - began);
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
