import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerDuplexStream, ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import { Metadata, status } from '@grpc/grpc-js';
import type { AppendFault, Faults } from './faults.ts';
import type { AppendResult, ExpectedRevision, Log, ProposedEvent } from './log.ts';
import {
  appendMessage,
  batchAppendMessage,
  batchExpectedOf,
  expectedOf,
  proposedOf,
  streamNameOf,
} from './messages.ts';

interface Batch {
  stream: string;
  expected: ExpectedRevision;
  proposed: ProposedEvent[];
}

/** Answers both kinds of append, with the queued faults. */
export class Appends {
  /** Number of appends by `append`; `batched` counts those by `batchAppend`. */
  plain = 0;
  batched = 0;
  /** Number of appends that were dropped silently, because their events were in flight. */
  dropped = 0;
  /** Ids of events that have arrived and are not written yet. */
  readonly #inFlight = new Set<string>();

  constructor(
    readonly log: Log,
    readonly faults: Faults,
    readonly maxBytes: number,
    readonly cutConnections: () => void,
  ) {}

  append(call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void {
    const batch: Batch = { stream: '', expected: 'any', proposed: [] };
    call.on('data', (message: AppendReq) => {
      const options = message.getOptions();
      if (options) Object.assign(batch, { stream: streamNameOf(options), expected: expectedOf(options) });
      else batch.proposed.push(proposedOf(message.getProposedMessage()!));
    });
    call.on('end', () => {
      if (this.#size(batch) > this.maxBytes) return answer(this.#tooLarge());
      this.#commit(batch, () => {
        // As in a real server, the unfinished batch of a lost client is not written. gRPC tells of it only after 'end'.
        if (call.cancelled) return;
        this.plain += 1;
        this.#answer(batch, answer);
      });
    });
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

  #answer(batch: Batch, answer: sendUnaryData<AppendResp>): void {
    const fault = this.faults.appends.shift();
    const result = this.#writeUnlessFault(batch, fault);
    if (fault === 'land-cancel') answer({ code: status.CANCELLED, details: 'Call canceled by the server' });
    else if (fault === 'land-timeout') answer({ code: status.ABORTED, details: 'Commit phase timeout.' });
    else if (result) answer(null, appendMessage(result, fault !== 'no-position'));
  }

  batchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void {
    const open = new Map<string, Batch>();
    call.on('data', (message: BatchAppendReq) => {
      const correlation = message.getCorrelationId()!.getString();
      const options = message.getOptions();
      if (options) {
        open.set(correlation, { stream: streamNameOf(options), expected: batchExpectedOf(options), proposed: [] });
      }
      const batch = open.get(correlation)!;
      batch.proposed.push(...message.getProposedMessagesList().map(proposedOf));
      if (!message.getIsFinal()) return;
      open.delete(correlation);
      this.batched += 1;
      const fault = this.faults.appends.shift();
      const result = this.#writeUnlessFault(batch, fault);
      if (fault === 'end-batch-stream') call.end();
      else if (result) call.write(batchAppendMessage(message, batch.stream, result));
    });
    call.on('end', () => call.end());
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

  #size(batch: Batch): number {
    return batch.proposed.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0);
  }

  #tooLarge() {
    const metadata = new Metadata();
    metadata.set('exception', 'maximum-append-size-exceeded');
    metadata.set('maximum-append-size', String(this.maxBytes));
    return { code: status.INVALID_ARGUMENT, details: 'Maximum append size exceeded', metadata };
  }
}
