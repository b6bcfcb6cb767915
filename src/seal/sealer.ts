import { randomUUID } from 'node:crypto';
import { CHANGES } from '../projections/history/change-document.ts';
import type { ServedProjections } from '../projections/served-projections.ts';
import { readNodes } from '../projections/transparency/organization-tree.ts';
import {
  type LogSealedDocument,
  newestSeal,
  newestSealEvent,
  SEALS,
  type SealDocument,
} from '../projections/transparency/seal-documents.ts';
import { RevisionConflict, StoreUnavailable } from '../stores/errors.ts';
import { type EventStore, NO_STREAM } from '../stores/event-store.ts';
import type { Checkpoint, ReadModels } from '../stores/read-store.ts';
import { chainEvents } from '../trail/hash.ts';
import { nodeCrypto } from '../trail/node/node-crypto.ts';
import type { SigningKey } from '../trail/seals/key.ts';
import { rangeHash } from '../trail/seals/merkle.ts';
import {
  introduceKey,
  makeSeal,
  replaceKey,
  rotateKey,
  type SealEvent,
  sealStream,
} from '../trail/seals/seal-events.ts';
import type { SealKeys } from './seal-keys.ts';

export interface SealerOptions {
  events: EventStore;
  projections: Pick<ServedProjections, 'ready' | 'progress' | 'models' | 'waitUntilProjected'>;
  keys: SealKeys;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

const CHECK_INTERVAL_MS = 1_000;
/** A seal is due after this many events. Events of the seal stream don't count. */
const MAX_UNSEALED_EVENTS = 256;
/** A seal is due this long after the first unsealed event. */
const MAX_UNSEALED_MS = 60_000;
/** Limit for waiting until a new seal is projected. */
const PROJECTION_WAIT_MS = 1_000;

/**
 * No seals are created while the read models lag by more than this, for example after an outage of a store. A seal
 * covers the
 * projected events but is appended at the log's end, and verifiers only check seals within MAX_SEAL_LAG_EVENTS. At 3,500
 * events a second, this lag uses half of them.
 */
const MAX_PROJECTION_LAG_MS = 10_000;

const BEHIND_MESSAGE = 'seals: cannot seal, because the read models lack events of the seal stream';
const PAUSED_MESSAGE = 'seals: paused until the restore of this history is finished';

/** The result of the last check of an organization. */
interface LastCheck {
  position: number;
  keyId: string;
  unsealed: number;
  /** The log time, in epoch milliseconds, of the first check that found unsealed events. Null if all are sealed. */
  unsealedSince: number | null;
}

/** An organization's seals as of a checkpoint. */
interface SealState {
  checkpoint: Checkpoint;
  /** The newest event of the seal stream. */
  newestEvent: SealDocument | null;
  newestSeal: LogSealedDocument | null;
  /** The number of unsealed events outside the seal stream. */
  unsealed: number;
}

/**
 * Seals organizations' logs, on the instance that holds the projection lease. It reads only the read models. If they are
 * outdated, or another instance seals too, the append's expected revision lets only one seal through.
 */
export class Sealer {
  private readonly lastChecks = new Map<string, LastCheck>();
  /** The last failure of each organization: message, seal stream revision, and the number of failures there. */
  private readonly failures = new Map<string, { message: string; revision: number; count: number }>();
  private timer: NodeJS.Timeout | null = null;
  private currentCheck: Promise<void> | null = null;
  private stopped = false;
  private newestSealTime: number | null = null;

  constructor(private readonly options: SealerOptions) {}

  start(): void {
    this.stopped = false;
    this.timer = setInterval(() => {
      this.currentCheck ??= this.checkAll().finally(() => {
        this.currentCheck = null;
      });
    }, CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  /** Stops when the check of the current organization is finished. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.currentCheck;
  }

  /**
   * Results of this instance's last checks. Nothing counts as unsealed while another instance seals. Times are epoch
   * milliseconds.
   */
  get state(): { unsealed: number; unsealedSince: number | null; newestSeal: number | null } {
    const waiting = [...this.lastChecks.values()].filter(({ unsealed }) => unsealed > 0);
    const unsealedSince = waiting.flatMap((check) => check.unsealedSince ?? []);
    return {
      unsealed: waiting.reduce((sum, { unsealed }) => sum + unsealed, 0),
      unsealedSince: unsealedSince.length === 0 ? null : Math.min(...unsealedSince),
      newestSeal: this.newestSealTime,
    };
  }

  /** Checks every organization with new events, and seals those that are due. */
  async checkAll(): Promise<void> {
    const { projections, keys, log } = this.options;
    if (!projections.ready || projections.progress.role !== 'LEADER') return this.lastChecks.clear();
    const { models, progress } = projections;
    if (Date.now() - progress.caughtUpAt > MAX_PROJECTION_LAG_MS) return;
    try {
      const key = await keys.currentKey();
      for (const organizationId of progress.organizations) {
        if (this.stopped) return;
        const checkpoint = progress.checkpoint(organizationId);
        if (checkpoint && this.needsCheck(checkpoint, key)) await this.checkOrganization(models, checkpoint, key);
      }
    } catch (error) {
      // A store that is down is tried again at the next check.
      if (!(error instanceof StoreUnavailable)) log.warn({ err: error }, 'seals: check failed');
    }
  }

  private needsCheck({ organizationId, position }: Checkpoint, key: SigningKey): boolean {
    const lastCheck = this.lastChecks.get(organizationId);
    return (
      lastCheck?.position !== position || lastCheck.keyId !== key.key_id || this.isOverdue(lastCheck.unsealedSince)
    );
  }

  private isOverdue(unsealedSince: number | null): boolean {
    return unsealedSince !== null && this.options.now().getTime() - unsealedSince >= MAX_UNSEALED_MS;
  }

  private async checkOrganization(models: ReadModels, checkpoint: Checkpoint, currentKey: SigningKey): Promise<void> {
    const { organizationId, position, logTime } = checkpoint;
    const state = await readSealState(models, checkpoint);
    if (state === null) return;
    const lastCheck = this.lastChecks.get(organizationId);
    const logTimeMs = Math.min(this.options.now().getTime(), Date.parse(logTime));
    const unsealedSince = state.unsealed > 0 ? (lastCheck?.unsealedSince ?? logTimeMs) : null;
    const isOtherKey = ({ key_id }: SigningKey) =>
      state.newestEvent !== null && state.newestEvent.data.key_id !== key_id;
    // Reads the key again, because another instance may have rotated it. Sealing with the old key would undo the
    // rotation.
    const key = isOtherKey(currentKey) ? await this.options.keys.currentKey() : currentKey;
    const isRotated = isOtherKey(key);
    const isDue =
      isRotated ||
      state.unsealed >= MAX_UNSEALED_EVENTS ||
      this.isOverdue(unsealedSince) ||
      (unsealedSince !== null &&
        (await hasAuditCompletion(
          models,
          checkpoint,
          Math.max(state.newestSeal?.data.size ?? 0, lastCheck?.position ?? 0),
        )));
    if (!isDue)
      this.lastChecks.set(organizationId, { position, keyId: key.key_id, unsealed: state.unsealed, unsealedSince });
    else if (await this.seal(models, state, key)) this.lastChecks.delete(organizationId);
    if (state.newestSeal !== null)
      this.newestSealTime = Math.max(this.newestSealTime ?? 0, Date.parse(state.newestSeal.data.sealed_at));
  }

  /** Appends a seal. Returns false if another instance was first, the store is down, or sealing is paused. */
  private async seal(models: ReadModels, state: SealState, key: SigningKey): Promise<boolean> {
    const { checkpoint, newestEvent } = state;
    const organization_id = checkpoint.organizationId;
    const revision = newestEvent?.revision ?? NO_STREAM;
    // The rest of the history must be restored before anything is appended after it.
    if (await this.options.keys.isSealingPaused(organization_id)) {
      this.warnOnSecondFailure(organization_id, revision, PAUSED_MESSAGE);
      return false;
    }
    const recorded_at = this.options.now().toISOString();
    const newEvents = await this.createSealEvents(models, state, key, recorded_at);
    const command_id = randomUUID();
    const stream = sealStream(organization_id);
    const events = chainEvents(nodeCrypto, {
      stream,
      revision,
      previousHash: newestEvent?.hash ?? null,
      metadata: {
        organization_id,
        actor_id: 'SYSTEM',
        token_id: null,
        client: null,
        command_id,
        correlation_id: command_id,
        causation_id: null,
        recorded_at,
      },
      input: {},
      newEvents: newEvents.map(({ type, data }) => ({ type, data: { ...data } })),
      schemaVersion: () => 1,
    });
    try {
      const storePosition = await this.options.events.append(stream, events, revision);
      this.failures.delete(organization_id);
      await this.options.projections.waitUntilProjected(organization_id, storePosition, PROJECTION_WAIT_MS);
      return true;
    } catch (error) {
      if (error instanceof RevisionConflict) this.warnOnSecondFailure(organization_id, revision, BEHIND_MESSAGE);
      else if (!(error instanceof StoreUnavailable)) throw error;
      return false;
    }
  }

  /** Logs the second failure at one revision. At the first one, another instance was probably just faster. */
  private warnOnSecondFailure(organization_id: string, revision: number, message: string): void {
    const last = this.failures.get(organization_id);
    const count = last?.message === message && last.revision === revision ? last.count + 1 : 1;
    this.failures.set(organization_id, { message, revision, count });
    if (count === 2) this.options.log.warn({ organization_id, revision }, message);
  }

  private async createSealEvents(
    models: ReadModels,
    state: SealState,
    key: SigningKey,
    sealed_at: string,
  ): Promise<SealEvent[]> {
    const { newestEvent, newestSeal: previousSeal, unsealed } = state;
    const { organizationId, position: size } = state.checkpoint;
    const previous_seal = previousSeal?.hash ?? null;
    const events: SealEvent[] = [];
    if (newestEvent === null) events.push(introduceKey(organizationId, key));
    else if (newestEvent.data.key_id !== key.key_id) {
      events.push(await this.createKeyEvent(organizationId, newestEvent.data.key_id, previous_seal, key));
    }
    if (unsealed > 0) {
      const range = { from: 0, to: size };
      const root = rangeHash(nodeCrypto, range, await readNodes(models, organizationId, [range]));
      events.push(makeSeal(organizationId, { size, root, sealed_at, previous_seal }, key));
    }
    return events;
  }

  /** Returns the event by which a key takes over: a rotation, or a replacement if the old key is lost. */
  private async createKeyEvent(
    organizationId: string,
    fromId: string,
    previous_seal: string | null,
    key: SigningKey,
  ): Promise<SealEvent> {
    const from = await this.options.keys.findKey(fromId);
    if (from !== null) return rotateKey(organizationId, previous_seal, from, key);
    const details = { organization_id: organizationId, lost_key: fromId, key: key.key_id };
    this.options.log.warn(details, 'seals: the key of earlier seals is lost, so the current key replaces it');
    return replaceKey(organizationId, previous_seal, key);
  }
}

/**
 * Reads an organization's seals as of a checkpoint. Returns null if the read models are ahead of it; the next check
 * has a newer checkpoint.
 */
async function readSealState(models: ReadModels, checkpoint: Checkpoint): Promise<SealState | null> {
  const { organizationId, position } = checkpoint;
  const newestEvent = await newestSealEvent(models, organizationId);
  if (newestEvent !== null && newestEvent.position > position) return null;
  const seal =
    newestEvent?.type === 'LogSealed' ? newestEvent : newestEvent && (await newestSeal(models, organizationId));
  const size = seal?.data.size ?? 0;
  const afterSeal = { key: 'position', op: 'range', gt: size } as const;
  const [count] = newestEvent ? await models.count({ collection: SEALS.name, organizationId, where: [afterSeal] }) : [];
  return { checkpoint, newestEvent, newestSeal: seal, unsealed: position - size - (count?.total ?? 0) };
}

/** Returns true if an event after this position completed an audit. */
async function hasAuditCompletion(
  models: ReadModels,
  { organizationId, position }: Checkpoint,
  after: number,
): Promise<boolean> {
  const completions = await models.find({
    collection: CHANGES.name,
    organizationId,
    where: [
      { key: 'position', op: 'range', gt: after, lte: position },
      { key: 'event_type', op: 'eq', value: 'AuditCompleted' },
    ],
    order: { key: 'position', direction: 'ASC' },
    limit: 1,
  });
  return completions.length > 0;
}
