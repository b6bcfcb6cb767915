import { randomUUID } from 'node:crypto';
import {
  AccessDeniedError,
  convertToCommandError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  TimeoutError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import sharedPb, { type UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb, { type BatchAppendReq, type BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import type { TrailEvent } from '../../trail/event.ts';
import { TooLarge } from '../errors.ts';
import { NO_STREAM, type RowBytes, type StorePosition, type StreamBatch, type UncheckedRow } from '../event-store.ts';
import { CallLost, NoAnswer, requireAnswer } from './calls.ts';
import { storedRow, storePositionOf } from './events.ts';

/** The content of one append: a batch of events, or a row as it is. */
export interface ProposedBatch extends Omit<StreamBatch, 'events'> {
  events: readonly (TrailEvent | UncheckedRow)[];
}

interface PendingAppend {
  stream: string;
  lastRevision: number;
  resolve(position: StorePosition | null): void;
  reject(error: Error): void;
}

/**
 * One long call over which all appends of a connection go, because a call for each would cost three times as much. The
 * server writes them in the order in which they were sent, and answers each by its correlation id.
 *
 * The client has such a call too, but loses answers: if the call ends properly, its appends wait for ever.
 */
export class AppendCall {
  readonly #call: ClientDuplexStream<BatchAppendReq, BatchAppendResp>;
  readonly #pending = new Map<string, PendingAppend>();
  #isOpen = true;

  constructor(client: StreamsClient, metadata: Metadata) {
    this.#call = client.batchAppend(metadata);
    this.#call.on('data', (answer: BatchAppendResp) => this.#settle(answer));
    // Stays registered, because an unhandled second error would end the process.
    this.#call.on('error', (error) => this.#end(convertToCommandError(error)));
    this.#call.on('end', () => this.#end(new Error('the server ended it')));
  }

  /** False if the call has ended, or left an append without an answer. Further appends need another call. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Sends an append. Returns its position, or null if the server sent none that can be trusted.
   * @throws NoAnswer after `ms`
   */
  async append(batch: ProposedBatch, ms: number): Promise<StorePosition | null> {
    const id = randomUUID();
    const answer = new Promise<StorePosition | null>((resolve, reject) => {
      const lastRevision = batch.expectedRevision + batch.events.length;
      this.#pending.set(id, { stream: batch.stream, lastRevision, resolve, reject });
    });
    this.#call.write(toRequest(id, batch));
    try {
      return await requireAnswer(ms, answer);
    } catch (error) {
      if (error instanceof NoAnswer) this.#isOpen = false;
      throw error;
    } finally {
      this.#pending.delete(id);
      if (!this.#isOpen && this.#pending.size === 0) this.#call.cancel();
    }
  }

  #settle(answer: BatchAppendResp): void {
    const pending = this.#pending.get(readUuid(answer.getCorrelationId()));
    const success = answer.getSuccess();
    // Nobody waits for an answer that comes too late.
    if (success === undefined) pending?.reject(toError(answer.getError(), pending.stream));
    else pending?.resolve(positionIn(success, pending.lastRevision));
  }

  #end(error: Error): void {
    this.#isOpen = false;
    // An error such as NotLeader is about one append. With several, it isn't known about which.
    const failure = this.#pending.size === 1 ? error : new CallLost(error);
    for (const { reject } of this.#pending.values()) reject(failure);
  }
}

function toRequest(id: string, { stream, events, expectedRevision }: ProposedBatch): BatchAppendReq {
  const options = new streamsPb.BatchAppendReq.Options().setStreamIdentifier(
    new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream)),
  );
  if (expectedRevision === NO_STREAM) options.setNoStream(new sharedPb.Empty());
  else options.setStreamPosition(String(expectedRevision));
  return new streamsPb.BatchAppendReq()
    .setCorrelationId(new sharedPb.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(toProposedMessage))
    .setIsFinal(true);
}

function toProposedMessage(event: TrailEvent | UncheckedRow) {
  const { data, metadata, isJson } = 'bytes' in event ? storedRow(event) : jsonOf(event);
  const message = new streamsPb.BatchAppendReq.ProposedMessage()
    .setId(new sharedPb.UUID().setString(event.id))
    .setData(data)
    .setCustomMetadata(metadata);
  const contentType = isJson ? 'application/json' : 'application/octet-stream';
  message.getMetadataMap().set('type', event.type).set('content-type', contentType);
  return message;
}

function jsonOf({ data, metadata }: TrailEvent): RowBytes & { isJson: true } {
  return { data: Buffer.from(JSON.stringify(data)), metadata: Buffer.from(JSON.stringify(metadata)), isJson: true };
}

/** Returns null if the server sent no position, or wrote at other revisions: a deleted stream goes on with its old ones. */
function positionIn(success: BatchAppendResp.Success, lastRevision: number): StorePosition | null {
  const position = success.getPosition();
  if (position === undefined || success.getCurrentRevision() !== String(lastRevision)) return null;
  return storePositionOf({ commit: position.getCommitPosition(), prepare: position.getPreparePosition() });
}

/** Returns an id as text. Servers send it in either form. */
function readUuid(uuid: UUID | undefined): string {
  const structured = uuid?.getStructured();
  if (structured === undefined) return uuid?.getString() ?? '';
  const hex = [structured.getMostSignificantBits(), structured.getLeastSignificantBits()]
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function toError(status: Status | undefined, stream: string): Error {
  const details = status?.getDetails();
  const type = details?.getTypeName() ?? '';
  switch (type) {
    case 'event_store.client.WrongExpectedVersion': {
      const conflict = details!.unpack(sharedPb.WrongExpectedVersion.deserializeBinary, type)!;
      return WrongExpectedVersionError.fromWrongExpectedVersion(conflict, stream);
    }
    case 'event_store.client.MaximumAppendSizeExceeded': {
      const limit = details!.unpack(sharedPb.MaximumAppendSizeExceeded.deserializeBinary, type)!;
      return MaxAppendSizeExceededError.fromMaxAppendSize(limit.getMaxappendsize());
    }
    case 'event_store.client.MaximumAppendEventSizeExceeded':
      // A newer server's, so the client can't read its details.
      return new TooLarge("over the server's limit for one event");
    case 'event_store.client.StreamDeleted':
      return StreamDeletedError.fromStreamName(stream);
    case 'event_store.client.AccessDenied':
      return new AccessDeniedError();
    case 'event_store.client.Timeout':
      return new TimeoutError();
    default:
      return new UnknownError(undefined, status?.getMessage() || `unknown answer ${type}`);
  }
}
