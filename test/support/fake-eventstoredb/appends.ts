import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream, StatusObject } from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { AppendFault, Faults } from './faults.ts';
import type { AppendResult, ExpectedRevision, Log, ProposedEvent } from './log.ts';
import {
  accessDeniedStatus,
  appendMessage,
  errorMessage,
  eventTooLargeStatus,
  expectedOf,
  proposedOf,
  streamNameOf,
  timeoutStatus,
  tooLargeStatus,
} from './messages.ts';

interface Batch {
  stream: string;
  expected: ExpectedRevision;
  proposed: ProposedEvent[];
}

export interface AppendLimits {
  maxAppendBytes: number;
  /** Only newer servers have it. */
  maxEventBytes: number;
  /** Returns true if the user may append. */
  mayAppend(): boolean;
}

type AppendCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** Answers appends, with the queued faults. As in real servers, a call has any number of appends. */
export class Appends {
  /** Number of appends that were not refused or dropped. */
  count = 0;
  /** The running calls. */
  readonly calls = new Set<AppendCall>();
  /** Number of appends that were dropped silently, because their events were in flight. */
  dropped = 0;
  /** Ids of events that have arrived and are not written yet. */
  readonly #inFlight = new Set<string>();

  constructor(
    readonly log: Log,
    readonly faults: Faults,
    readonly limits: AppendLimits,
    readonly cutConnections: () => void,
  ) {}

  /** @param refusal returns the error of an append that needs a leader, if this node isn't it */
  batchAppend(call: AppendCall, refusal: () => Partial<StatusObject> | null): void {
    const open = new Map<string, Batch>();
    this.calls.add(call);
    for (const end of ['cancelled', 'error']) call.once(end, () => this.calls.delete(call));
    call.on('data', (message: BatchAppendReq) => {
      const correlation = message.getCorrelationId()!.getString();
      const options = message.getOptions();
      if (options) {
        open.set(correlation, { stream: streamNameOf(options), expected: expectedOf(options), proposed: [] });
      }
      const batch = open.get(correlation)!;
      batch.proposed.push(...message.getProposedMessagesList().map(proposedOf));
      if (!message.getIsFinal()) return;
      open.delete(correlation);
      const error = refusal();
      if (error) return this.#refuse(call, message, batch, error);
      const unacceptable = this.#refusalOf(batch);
      if (unacceptable) return void call.write(errorMessage(message, batch.stream, unacceptable));
      this.#commit(batch, () => {
        // As in a real server, what a lost client sent is not written, nor what comes after the end of the call.
        if (!call.cancelled && this.calls.has(call)) this.#answer(call, message, batch);
      });
    });
    call.on('end', () => this.#end(call));
  }

  /**
   * Writes a batch a moment after it arrived. A repeat that arrives meanwhile gets no answer: a real server (23.10)
   * drops an append whose events are in flight, and expects its client to repeat it.
   */
  #commit(batch: Batch, write: () => void): void {
    const ids = batch.proposed.map(({ id }) => id);
    if (ids.some((id) => this.#inFlight.has(id))) {
      this.dropped += 1;
      return;
    }
    for (const id of ids) this.#inFlight.add(id);
    setImmediate(() => {
      for (const id of ids) this.#inFlight.delete(id);
      write();
    });
  }

  /** As in a real server, an error that names the leader ends the whole call; others are answers. */
  #refuse(call: AppendCall, message: BatchAppendReq, { stream }: Batch, error: Partial<StatusObject>): void {
    if (error.code === status.NOT_FOUND) call.emit('error', error);
    else call.write(errorMessage(message, stream, new statusPb.Status().setMessage(error.details ?? '')));
  }

  #answer(call: AppendCall, message: BatchAppendReq, batch: Batch): void {
    this.count += 1;
    const fault = this.faults.appends.shift();
    const result = this.#writeUnlessFault(batch, fault);
    if (fault === 'end-call') this.#end(call);
    else if (fault === 'land-cancel') {
      call.emit('error', { code: status.CANCELLED, details: 'Call canceled by the server' });
    } else if (fault === 'land-timeout') call.write(errorMessage(message, batch.stream, timeoutStatus()));
    else if (result) call.write(appendMessage(message, batch.stream, result, fault !== 'no-position'));
  }

  #end(call: AppendCall): void {
    this.calls.delete(call);
    call.end();
  }

  /** Writes the batch unless the fault prevents it. Returns null for no answer. */
  #writeUnlessFault(batch: Batch, fault: AppendFault | undefined): AppendResult | null {
    if (fault === 'conflict') return { kind: 'conflict', current: this.#current(batch.stream) };
    const isWritten = fault === undefined || fault === 'no-position' || fault.startsWith('land-');
    const result = isWritten ? this.log.append(batch.stream, batch.proposed, batch.expected) : null;
    if (fault === 'disconnect' || fault === 'land-cut') this.cutConnections();
    return fault === undefined || fault === 'no-position' ? result : null;
  }

  #current(stream: string): bigint | 'no_stream' {
    return this.log.stream(stream)?.at(-1)?.revision ?? 'no_stream';
  }

  /** Returns the status of an append that the server refuses before it looks at the stream. */
  #refusalOf({ proposed }: Batch): Status | null {
    const { mayAppend, maxAppendBytes, maxEventBytes } = this.limits;
    if (!mayAppend()) return accessDeniedStatus();
    const sizes = proposed.map(({ data, metadata }) => data.length + metadata.length);
    if (sizes.some((size) => size > maxEventBytes)) return eventTooLargeStatus();
    return sizes.reduce((sum, size) => sum + size, 0) > maxAppendBytes ? tooLargeStatus(maxAppendBytes) : null;
  }
}
