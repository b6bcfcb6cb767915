import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { lastGoodSize } from '../../projections/transparency/last-good-seal.ts';
import { readRoot } from '../../projections/transparency/organization-tree.ts';
import { type LogSealedDocument, sealsBelow } from '../../projections/transparency/seal-documents.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { linkFault } from '../../trail/chain.ts';
import type { SealFault } from '../../trail/check/verdict.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { SealCheck, type SealCheckStart } from '../../trail/seals/seal-check.ts';
import { isSealEventType, sealStream } from '../../trail/seals/seal-events.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { readSealKey } from './check-newest-seal.ts';

const EVENTS_PER_READ = 500;
/** Seals that are further apart in their stream are checked on their own. */
const MAX_SKIPPED_EVENTS = 16;
/** Hashes of good seals' events. A hash covers the seal and everything before it in the seal stream. */
const goodSeals = new LRUCache<string, true>({ max: 20_000 });

/** The words of the offline check for a faulty seal. Without keys and kept seals from outside, two of its words don't occur. */
type SealFaultWord = Exclude<SealFault['why'], 'NOT_GIVEN' | 'KEPT'>;

/** A faulty seal, as the offline check names it. `why` is NOT_IN_LOG if the log doesn't have this seal. */
export interface FaultySeal {
  why: SealFaultWord | 'NOT_IN_LOG';
  position: number;
  event_id: string;
  /** The positions in question. They begin after those that the last good seal covers. */
  from: number;
  until: number;
}

/** Returns the root over the first `size` events. Null if it can't be checked. */
type RootOf = (seal: LogSealedDocument) => Promise<string | null>;

type Source = Pick<Snapshot, 'models' | 'events'>;

/**
 * Checks seals as the offline check does: form, key, signature, order and root, each seal after the one before it in the
 * log. The roots are those of the read models. Good seals are remembered.
 * @param seals in their order
 * @returns the first faulty seal; null if all are good
 */
export async function findFaultySeal(
  source: Source,
  organizationId: string,
  seals: readonly LogSealedDocument[],
): Promise<FaultySeal | null> {
  const unknown = seals.filter(({ hash }) => !goodSeals.has(hash));
  const fault = await checkSeals(source, organizationId, unknown, ({ data }) =>
    readRoot(source.models, organizationId, data.size).then((root) => root ?? ''),
  );
  if (fault === null) for (const { hash } of unknown) goodSeals.set(hash, true);
  return fault;
}

/** Checks seals against other roots than those of the read models, and remembers nothing. */
export async function checkSeals(
  source: Source,
  organizationId: string,
  seals: readonly LogSealedDocument[],
  rootOf: RootOf,
): Promise<FaultySeal | null> {
  for (const run of toRuns(seals)) {
    const fault = await new SealRun(source, organizationId, run, rootOf).check();
    if (fault !== null) return fault;
  }
  return null;
}

/** Returns the seals in runs that are close together in their stream. */
function toRuns(seals: readonly LogSealedDocument[]): LogSealedDocument[][] {
  const runs: LogSealedDocument[][] = [];
  for (const seal of seals) {
    const run = runs.at(-1);
    if (run !== undefined && seal.revision - run.at(-1)!.revision <= MAX_SKIPPED_EVENTS) run.push(seal);
    else runs.push([seal]);
  }
  return runs;
}

/** Checks seals that are close together in their stream, beginning after the seal before them. */
class SealRun {
  private readonly stream: string;
  private readonly seals: ReadonlyMap<number, LogSealedDocument>;
  private readonly roots = new Map<number, string>();

  constructor(
    private readonly source: Source,
    private readonly organizationId: string,
    private readonly run: readonly LogSealedDocument[],
    private readonly rootOf: RootOf,
  ) {
    this.stream = sealStream(organizationId);
    this.seals = new Map(run.map((seal) => [seal.revision, seal]));
  }

  async check(): Promise<FaultySeal | null> {
    const [first, last] = [this.run[0]!, this.run.at(-1)!];
    const [before] = await sealsBelow(this.source.models, this.organizationId, first.data.size, 1);
    const start = before === undefined ? null : await this.startAfter(before);
    if (before !== undefined && start === null) return this.toFault(first, 'PREVIOUS_SEAL');
    const tree = { rootAt: (size: number) => this.roots.get(size) ?? null, nonSealEvents: { inTree: 0 } };
    // All keys are accepted here. A reader compares the fingerprint in the answer with the key they were given.
    const check = new SealCheck(nodeCrypto, this.organizationId, () => true, tree, new Set(), start);
    let previous: string | null = before?.hash ?? null;
    for (let from = before === undefined ? 0 : before.revision + 1; from <= last.revision; from += EVENTS_PER_READ) {
      const limit = Math.min(EVENTS_PER_READ, last.revision - from + 1);
      const events = await this.source.events.readStream(this.stream, from, limit);
      for (let revision = from; revision < from + limit; revision += 1) {
        const event = events[revision - from];
        const fault = await this.checkEvent(check, event, revision, previous);
        if (fault !== null) return fault;
        previous = event!.metadata.hash;
      }
    }
    return null;
  }

  private async checkEvent(
    check: SealCheck,
    event: StoredEvent | undefined,
    revision: number,
    previous: string | null,
  ): Promise<FaultySeal | null> {
    const seal = this.seals.get(revision);
    const isInLog =
      event !== undefined && event.data !== null && linkFault(nodeCrypto, event, revision, previous) === null;
    const isSame = seal === undefined || (event?.id === seal.event_id && isDeepStrictEqual(event.data, seal.data));
    if (!isInLog || !isSame) return this.toFault(seal ?? this.run[0]!, 'NOT_IN_LOG');
    if (seal !== undefined) {
      const root = await this.rootOf(seal);
      if (root !== null) this.roots.set(seal.data.size, root);
    }
    // The position of other events of the stream isn't known here, and isn't asked about.
    if (isSealEventType(event.type)) check.checkEvent(event.type, event, seal?.position ?? Number.MAX_SAFE_INTEGER);
    if (check.fault === null) return null;
    return this.toFault(seal ?? this.run[0]!, check.fault.why as SealFaultWord);
  }

  /** Returns the start of a check after a seal; null if the log doesn't have that seal, or its key is unknown. */
  private async startAfter({ revision, event_id, hash, data }: LogSealedDocument): Promise<SealCheckStart | null> {
    const [event] = await this.source.events.readStream(this.stream, revision, 1);
    const key = await readSealKey(this.source.models, this.organizationId, data.key_id);
    if (event?.id !== event_id || event.metadata.hash !== hash || key === null) return null;
    return { key, previousSeal: hash, sealedSize: data.size };
  }

  private async toFault(seal: LogSealedDocument, why: FaultySeal['why']): Promise<FaultySeal> {
    const { position, event_id, data } = seal;
    const from = (await lastGoodSize(this.source.models, this.organizationId, data.size)) + 1;
    // As in the offline check: a seal of this root is genuine, so what it covers is at fault.
    const until = Math.max(from, why === 'ROOT' ? data.size : position);
    return { why, position, event_id, from, until };
  }
}
