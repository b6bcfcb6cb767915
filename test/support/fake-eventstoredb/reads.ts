import { setTimeout } from 'node:timers/promises';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { Faults } from './faults.ts';
import type { Log, LogRecord } from './log.ts';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  filterOf,
  streamDeletedError,
  streamNameOf,
  streamNotFoundMessage,
} from './messages.ts';

type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

const FORWARDS = 0;
/** A filtered subscription sends a checkpoint after this many records, times the client's multiplier. */
const SEARCH_WINDOW = 32;

/** Error of 23.10 for a subscription whose live events come faster than they are sent. */
const TOO_SLOW = {
  code: status.ABORTED,
  details: 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
};

/** Answers the `read` call: a stream or $all in either direction, or a subscription to $all. */
export class Reads {
  constructor(
    readonly log: Log,
    readonly faults: Faults,
    /** The server ends a subscription for which more live events wait. */
    readonly liveBuffer: number,
  ) {}

  /** @param pauseMs pause before each event of a read */
  async answer(call: ReadCall, pauseMs = 0): Promise<void> {
    const options = call.request.getOptions()!;
    if (options.hasSubscription()) return this.#subscribe(call, options);
    const records = options.hasStream() ? this.#ofStream(options) : this.#ofAll(options);
    if (records === 'deleted') return void call.emit('error', streamDeletedError(streamNameOf(options.getStream()!)));
    if (records === null) call.write(streamNotFoundMessage(streamNameOf(options.getStream()!)));
    const count = Number(options.getCount());
    for (const record of (records ?? []).slice(0, count)) {
      if (pauseMs > 0) await setTimeout(pauseMs);
      await this.#send(call, record);
      if (call.cancelled) return;
    }
    call.end();
  }

  #ofStream(options: ReadReq.Options): LogRecord[] | null | 'deleted' {
    const identifier = options.getStream()!;
    const records = this.log.visible(streamNameOf(identifier));
    if (records === 'deleted') return records;
    if (!records) return null;
    const limit = identifier.hasStart() ? 0n : BigInt(identifier.getRevision());
    if (options.getReadDirection() === FORWARDS) {
      return identifier.hasEnd() ? [] : records.filter(({ revision }) => revision >= limit);
    }
    return records.filter(({ revision }) => identifier.hasEnd() || revision <= limit).reverse();
  }

  /** As in real servers, reading forwards includes the event at the position, and a filter is ignored. */
  #ofAll(options: ReadReq.Options): LogRecord[] {
    const all = options.getAll()!;
    const { records } = this.log;
    const at = all.hasPosition() ? BigInt(all.getPosition()!.getCommitPosition()) : 0n;
    if (options.getReadDirection() === FORWARDS) return all.hasEnd() ? [] : records.slice(this.log.indexOf(at));
    return records.slice(0, all.hasEnd() ? records.length : this.log.indexOf(at)).reverse();
  }

  async #subscribe(call: ReadCall, options: ReadReq.Options): Promise<void> {
    const stopped = new AbortController();
    let ending: 'end' | 'break' = 'end';
    const forget = this.faults.running((way) => {
      ending = way;
      stopped.abort();
    });
    call.once('cancelled', () => stopped.abort());
    call.write(confirmationMessage());
    const outcome = await this.#deliver(call, options, stopped.signal);
    forget();
    if (outcome === 'too slow') call.emit('error', TOO_SLOW);
    else if (ending === 'end') call.end();
    else call.emit('error', { code: status.INTERNAL, details: 'subscription dropped' });
  }

  /** Delivers events until `signal` is aborted, or more live ones wait than the server keeps. */
  async #deliver(call: ReadCall, options: ReadReq.Options, signal: AbortSignal): Promise<'stopped' | 'too slow'> {
    const matches = filterOf(options);
    const window = SEARCH_WINDOW * Math.max(1, options.getFilter()?.getCheckpointintervalmultiplier() ?? 1);
    let index = this.#start(options);
    for (let live = false, sentCount = 0; !signal.aborted; ) {
      const record = this.log.records[index];
      if (record) {
        index += 1;
        sentCount += 1;
        if (matches(record)) await this.#send(call, record);
        if (options.hasFilter() && sentCount % window === 0) {
          call.write(checkpointMessage(record.position, live ? record.position : 0n));
        }
      } else {
        if (!live) call.write(caughtUpMessage());
        live = true;
        await this.log.waitForGrowth(index, signal);
        if (this.log.records.length - index > this.liveBuffer) return 'too slow';
      }
    }
    return 'stopped';
  }

  /** Returns the index after the given position, or an earlier one with the fault `redeliver`. */
  #start(options: ReadReq.Options): number {
    const all = options.getAll()!;
    if (all.hasEnd()) return this.log.records.length;
    const position = all.hasPosition() ? BigInt(all.getPosition()!.getCommitPosition()) : null;
    this.faults.subscribedAfter.push(position);
    const after = position === null ? 0 : this.log.indexOf(position + 1n);
    const redelivered = Math.min(this.faults.redeliver, after);
    this.faults.redeliver = 0;
    return after - redelivered;
  }

  /** Sends one event, with back-pressure. */
  async #send(call: ReadCall, record: LogRecord): Promise<void> {
    this.faults.deliveredCount += 1;
    if (call.write(eventMessage(record)) || call.cancelled) return;
    await new Promise<void>((resolve) => {
      const proceed = () => {
        call.off('drain', proceed).off('cancelled', proceed);
        resolve();
      };
      call.on('drain', proceed).on('cancelled', proceed);
    });
  }
}
