import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { eventLoopQueue } from '../../clock/event-loop-queue.ts';
import { monotonicMs } from '../../clock/monotonic.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { networkOf } from '../../identity/client-info.ts';
import { FairQueue } from '../../identity/fair-queue.ts';
import { RateLimit } from '../../identity/rate-limit.ts';
import { ProtocolError } from '../../mcp/protocol/protocol-message.ts';
import { HttpError } from '../http-errors.ts';
import type { ClientInfoReader } from './client-info-reader.ts';

const MINUTE_MS = 60_000;
/** All credentials of one account share this many times the limit of one credential. */
const ACCOUNT_SHARE = 5;
/** Requests per minute without a valid credential from one address (IPv6: /64). */
const MAX_STRANGER_REQUESTS_PER_MINUTE = 3_000;

/** The rate limits of the service. Tool calls, OAuth and pages are counted together. */
export interface RateLimits {
  /**
   * Waits for the account's turn in the event loop, even for a refusal: its client may repeat the request at once. Counts
   * the request by credential, if there is one, and by account.
   * @throws HttpError 429
   */
  admitCaller(caller: Pick<Caller, 'account_id' | 'token_id'>): Promise<void> | undefined;
  /** Counts a request without a valid credential or session, by address. @throws HttpError 429 */
  countStranger(request: IncomingMessage): void;
  /** Does the same when it is the turn of the address: one machine has as many connections as it likes. */
  admitStranger(request: IncomingMessage): Promise<void>;
}

/** @param perMinute requests per minute for one credential; null for no limit */
export function createRateLimits(
  perMinute: number | null,
  readClientInfo: ClientInfoReader,
  now?: () => number,
): RateLimits {
  const strangers = new RateLimit(MAX_STRANGER_REQUESTS_PER_MINUTE, MINUTE_MS, now);
  const networkIn = (request: IncomingMessage) => networkOf(readClientInfo(request).address);
  const countStranger = (request: IncomingMessage) => refuseUntil(strangers.countOrWaitMs(networkIn(request)));
  const admitStranger = async (request: IncomingMessage) => {
    await eventLoopQueue.wait(`network ${networkIn(request)}`);
    countStranger(request);
  };
  if (perMinute === null)
    return { countStranger, admitStranger, admitCaller: ({ account_id }) => eventLoopQueue.wait(account_id) };
  const credentials = new RateLimit(perMinute, MINUTE_MS, now);
  const accounts = new RateLimit(perMinute * ACCOUNT_SHARE, MINUTE_MS, now);
  const admitCaller: RateLimits['admitCaller'] = async ({ account_id, token_id }) => {
    await eventLoopQueue.wait(account_id);
    if (token_id !== null) refuseUntil(credentials.countOrWaitMs(token_id));
    refuseUntil(accounts.countOrWaitMs(account_id));
  };
  return { countStranger, admitStranger, admitCaller };
}

/** Refuses a request that must wait. @throws HttpError 429 unless `waitMs` is 0 */
function refuseUntil(waitMs: number): void {
  if (waitMs === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `Too many requests. Wait ${seconds} s, then try again, and send fewer requests.`;
  const headers = { 'Retry-After': String(seconds) };
  throw new HttpError(429, 'rate_limited', message, headers, { retry_after_seconds: seconds });
}

/** An account's next call waits this many times as long as its invalid call took, at most `MAX_WAIT_MS`. */
const WAIT_FACTOR = 30;
const MAX_WAIT_MS = 1_000;
/** Receiving this many bytes takes about a millisecond of CPU. */
const BYTES_PER_MS = 1 << 20;
const MAX_ACCOUNTS = 10_000;

/** The wait of an account that sent an invalid call. */
interface Wait {
  endsAt: number;
  /** True after a valid call has waited. Later calls then start at once, even while earlier ones still wait. */
  isOver: boolean;
}

type Receive = () => Promise<Buffer>;
/** Returns true if the call was invalid. */
type Answer = (body: Buffer) => Promise<boolean>;

/**
 * Makes an account wait after invalid calls, because they take CPU time from other callers. While it waits, its calls are
 * answered one after another, and its credentials take turns. Valid calls cause no wait.
 */
export class Penalties {
  private readonly waits = new LRUCache<string, Wait>({ max: MAX_ACCOUNTS });
  private readonly turns = new FairQueue({ total: Number.POSITIVE_INFINITY, perAccount: 1 });

  /**
   * Receives and answers a call as soon as its account may continue.
   * @throws Refusal rate_limited when too many calls of the account wait
   */
  async run(caller: Caller, receive: Receive, answer: Answer): Promise<void> {
    const { account_id } = caller;
    const wait = this.waits.get(account_id);
    if (wait === undefined || wait.isOver) return this.serve(account_id, receive, answer);
    await this.turns.run(caller, async () => {
      await pause(Math.max(0, wait.endsAt - monotonicMs()));
      const { endsAt } = wait;
      await this.serve(account_id, receive, answer);
      wait.isOver = wait.endsAt === endsAt;
    });
  }

  private async serve(account: string, receive: Receive, answer: Answer): Promise<void> {
    const body = await receive();
    const startedAt = monotonicMs();
    let isInvalidCall = false;
    try {
      isInvalidCall = await answer(body);
    } catch (error) {
      isInvalidCall = (error instanceof HttpError || error instanceof ProtocolError) && error.status === 400;
      throw error;
    } finally {
      if (isInvalidCall) this.extendWait(account, body.length / BYTES_PER_MS + monotonicMs() - startedAt);
    }
  }

  private extendWait(account: string, ms: number): void {
    const now = monotonicMs();
    const wait = this.waits.get(account) ?? { endsAt: now, isOver: false };
    wait.isOver = false;
    wait.endsAt = Math.min(Math.max(now, wait.endsAt) + ms * WAIT_FACTOR, now + MAX_WAIT_MS);
    this.waits.set(account, wait);
  }
}
