import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import type { AppendResult, ExpectedRevision, LogRecord, ProposedEvent } from './log.ts';

/** Converts between the wire's messages and the fake's types. */

const TICKS_AT_EPOCH = '0';

export function eventMessage(record: LogRecord): ReadResp {
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent()
    .setId(new sharedPb.UUID().setString(record.id))
    .setStreamIdentifier(streamIdentifier(record.stream))
    .setStreamRevision(String(record.revision))
    .setPreparePosition(String(record.position))
    .setCommitPosition(String(record.position))
    .setCustomMetadata(record.metadata)
    .setData(record.data);
  for (const [key, value] of record.system) recorded.getMetadataMap().set(key, value);
  recorded.getMetadataMap().set('created', TICKS_AT_EPOCH);
  const event = new streamsPb.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(record.position));
  return new streamsPb.ReadResp().setEvent(event);
}

export function streamNotFoundMessage(stream: string): ReadResp {
  const notFound = new streamsPb.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream));
  return new streamsPb.ReadResp().setStreamNotFound(notFound);
}

/** The error of a read of a tombstoned stream. */
export function streamDeletedError(stream: string): Partial<StatusObject> {
  const metadata = new Metadata();
  metadata.set('exception', 'stream-deleted');
  metadata.set('stream-name', stream);
  return { code: status.FAILED_PRECONDITION, details: `Event stream '${stream}' is deleted.`, metadata };
}

export function confirmationMessage(): ReadResp {
  const confirmation = new streamsPb.ReadResp.SubscriptionConfirmation().setSubscriptionId('fake');
  return new streamsPb.ReadResp().setConfirmation(confirmation);
}

/** While catching up, a real server's checkpoints lag behind and have no prepare position. */
export function checkpointMessage(commit: bigint, prepare: bigint): ReadResp {
  const checkpoint = new streamsPb.ReadResp.Checkpoint()
    .setCommitPosition(String(commit))
    .setPreparePosition(String(prepare));
  return new streamsPb.ReadResp().setCheckpoint(checkpoint);
}

export function caughtUpMessage(): ReadResp {
  return new streamsPb.ReadResp().setCaughtUp(new streamsPb.ReadResp.CaughtUp());
}

export function appendMessage(
  request: BatchAppendReq,
  stream: string,
  result: AppendResult,
  withPosition: boolean,
): BatchAppendResp {
  if (result.kind === 'conflict') {
    const conflict = new sharedPb.WrongExpectedVersion();
    if (result.current === 'no_stream') conflict.setCurrentNoStream(new sharedPb.Empty());
    else conflict.setCurrentStreamRevision(String(result.current));
    return errorMessage(request, stream, packedStatus(conflict, 'WrongExpectedVersion'));
  }
  if (result.kind === 'deleted') {
    return errorMessage(
      request,
      stream,
      packedStatus(new sharedPb.StreamDeleted().setStreamIdentifier(streamIdentifier(stream)), 'StreamDeleted'),
    );
  }
  const position = new sharedPb.AllStreamPosition()
    .setCommitPosition(String(result.position))
    .setPreparePosition(String(result.position));
  const success = new streamsPb.BatchAppendResp.Success().setCurrentRevision(String(result.revision));
  if (withPosition) success.setPosition(position);
  else success.setNoPosition(new sharedPb.Empty());
  return answerTo(request, stream).setSuccess(success);
}

export function errorMessage(request: BatchAppendReq, stream: string, error: Status): BatchAppendResp {
  return answerTo(request, stream).setError(error);
}

export function tooLargeStatus(maxBytes: number): Status {
  return packedStatus(new sharedPb.MaximumAppendSizeExceeded().setMaxappendsize(maxBytes), 'MaximumAppendSizeExceeded');
}

/** The answer of newer servers for one event over their limit. The client has no message for it. */
export function eventTooLargeStatus(): Status {
  return packedStatus(new sharedPb.Empty(), 'MaximumAppendEventSizeExceeded');
}

export function accessDeniedStatus(): Status {
  return packedStatus(new sharedPb.AccessDenied(), 'AccessDenied');
}

export function timeoutStatus(): Status {
  return packedStatus(new sharedPb.Timeout(), 'Timeout');
}

function packedStatus(message: { serializeBinary(): Uint8Array }, type: string): Status {
  const details = new anyPb.Any();
  details.pack(message.serializeBinary(), `event_store.client.${type}`);
  return new statusPb.Status().setDetails(details);
}

/** Real servers answer with the id in its structured form, whatever form it had. */
function answerTo(request: BatchAppendReq, stream: string): BatchAppendResp {
  const hex = request.getCorrelationId()!.getString().replaceAll('-', '');
  const half = (from: number) => String(BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)));
  const structured = new sharedPb.UUID.Structured().setMostSignificantBits(half(0)).setLeastSignificantBits(half(16));
  return new streamsPb.BatchAppendResp()
    .setCorrelationId(new sharedPb.UUID().setStructured(structured))
    .setStreamIdentifier(streamIdentifier(stream));
}

export function expectedOf(options: BatchAppendReq.Options): ExpectedRevision {
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

export function proposedOf(message: BatchAppendReq.ProposedMessage): ProposedEvent {
  return {
    id: message.getId()!.getString(),
    system: new Map(message.getMetadataMap().getEntryList()),
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function streamNameOf(holder: {
  getStreamIdentifier(): { getStreamName_asU8(): Uint8Array } | undefined;
}): string {
  return Buffer.from(holder.getStreamIdentifier()!.getStreamName_asU8()).toString('utf8');
}

/** Returns a subscription's filter. */
export function filterOf(options: ReadReq.Options): (record: LogRecord) => boolean {
  const filter = options.getFilter();
  if (!filter) return () => true;
  const expression = (filter.getEventType() ?? filter.getStreamIdentifier())!;
  const subject = (record: LogRecord) => (filter.hasEventType() ? record.system.get('type')! : record.stream);
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) return (record) => prefixes.some((prefix) => subject(record).startsWith(prefix));
  const pattern = new RegExp(expression.getRegex());
  return (record) => pattern.test(subject(record));
}

function streamIdentifier(stream: string) {
  return new sharedPb.StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));
}
