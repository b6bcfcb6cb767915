import {
  AccessDeniedError,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  StreamDeletedError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { collect, STREAM_DELETED } from './calls.ts';

/** The truncation of a soft-deleted stream is larger than any number that JavaScript reads exactly. */
const DELETED_BEFORE = 2 ** 53;

/**
 * Returns what was done to a stream of which no event can be read; null if it never existed. A deleted stream reads like
 * an absent one, but its metadata tell, and reading a tombstoned one fails.
 */
export async function explainAbsence(client: EventStoreDBClient, stream: string, ms: number): Promise<string | null> {
  const options = { maxCount: 1, requiresLeader: true } as const;
  const newest = { ...options, direction: BACKWARDS, fromRevision: END } as const;
  try {
    const [metadata] = await Promise.all([
      collect(client.readStream(`$$${stream}`, newest), ms).catch(ignoreAbsent),
      collect(client.readStream(stream, options), ms).catch(ignoreAbsent),
    ]);
    return findCut(metadata[0]?.event?.data);
  } catch (error) {
    if (error instanceof StreamDeletedError) return STREAM_DELETED;
    // Without the right to read metadata, the stream counts as absent.
    if (error instanceof AccessDeniedError) return null;
    throw error;
  }
}

function findCut(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null) return null;
  const { $tb, $maxCount, $maxAge } = metadata as Record<string, unknown>;
  if (typeof $tb === 'number' && $tb >= DELETED_BEFORE) return STREAM_DELETED;
  return [$tb, $maxCount, $maxAge].some((limit) => limit !== undefined) ? 'its metadata hide its events' : null;
}

function ignoreAbsent(error: unknown): [] {
  if (error instanceof StreamNotFoundError) return [];
  throw error;
}
