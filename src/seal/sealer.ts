import { randomUUID } from 'node:crypto';
import { monotonicMs } from '../clock/monotonic.ts';
import type { ServedProjections } from '../projections/served-projections.ts';
import { RevisionConflict, StoreRefused, StoreUnavailable } from '../stores/errors.ts';
import { type EventStore, NO_STREAM } from '../stores/event-store.ts';
import type { Checkpoint, ReadModels, ReadStore } from '../stores/read-store.ts';
import { chainEvents } from '../trail/hash.ts';
import { nodeCrypto } from '../trail/node/node-crypto.ts';
import type { SigningKey } from '../trail/seals/key.ts';
import {
  introduceKey,
  makeSeal,
  replaceKey,
  rotateKey,
  type SealEvent,
  sealStream,
  type TreeHead,
} from '../trail/seals/seal-events.ts';
import { LogCheck } from './log-check.ts';
import type { SealKeys } from './seal-keys.ts';
import { hasAuditCompletion, readSealState, type SealState } from './seal-state.ts';
import { type SealStop, SealStopBoard, sealStopText } from './seal-stop.ts';

export interface SealerOptions {
  events: EventStore;
  reads: Pick<ReadStore, 'sharedEntry' | 'compareAndSet'>;
  projections: Pick<ServedProjections, 'ready' | 'progress' | 'models' | 'waitUntilProjected' | 'subscribeToLeaves'>;
  keys: SealKeys;
  now: () => Date;
  /** Returns false while the machine's clock is in doubt. Nothing is sealed then. */
  isClockTrusted: () => boolean;
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

/** An organization that has stopped is checked again this often, and at once after a rebuild. */
const STOPPED_INTERVAL_MS = 60_000;

interface LastCheck {
  position: number;
  keyId: string;
  unsealed: number;
  /** The log time, in epoch milliseconds, of the first check that found unsealed events. Null if all are sealed. */
  unsealedSince: number | null;
}

interface CheckedStop {
  stop: SealStop;
  generation: string;
  checkedAtMs: number;
}

/** A seal that is due, and the key that signs it. */
interface DueSeal {
  state: SealState;
  key: SigningKey;
}

/**
 * Seals organizations' logs, on the instance that holds the projection lease. It signs what the read models hold, but only
 * if the log says the same. If another instance seals too, the append's expected revision lets only one seal through.
 */
export class Sealer {
  private readonly lastChecks = new Map<string, LastCheck>();
  /** The last failure of each organization: message, seal stream revision, and the number of failures there. */
  private readonly failures = new Map<string, { message: string; revision: number; count: number }>();
  private readonly stops = new Map<string, CheckedStop>();
  private readonly stopBoard: SealStopBoard;
  private readonly logCheck: LogCheck;
  private unsubscribe: (() => void) | null = null;
  private timer: NodeJS.Timeout | null = null;
  private currentCheck: Promise<void> | null = null;
  private stopped = false;
  private newestSealTime: number | null = null;

  constructor(private readonly options: SealerOptions) {
    this.logCheck = new LogCheck(options.events);
    this.stopBoard = new SealStopBoard(options.reads);
  }

  start(): void {
    this.stopped = false;
    this.unsubscribe = this.options.projections.subscribeToLeaves((applied) => this.logCheck.receive(applied));
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
    this.unsubscribe?.();
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.currentCheck;
  }

  /**
   * Results of this instance's last checks. While another instance seals, nothing counts as unsealed, and no stops are known
   * here. Times are epoch milliseconds.
   */
  get state(): {
    unsealed: number;
    unsealedSince: number | null;
    newestSeal: number | null;
    stops: readonly SealStop[];
  } {
    const waiting = [...this.lastChecks.values()].filter(({ unsealed }) => unsealed > 0);
    const unsealedSince = waiting.flatMap((check) => check.unsealedSince ?? []);
    return {
      unsealed: waiting.reduce((sum, { unsealed }) => sum + unsealed, 0),
      unsealedSince: unsealedSince.length === 0 ? null : Math.min(...unsealedSince),
      newestSeal: this.newestSealTime,
      stops: [...this.stops.values()].map(({ stop }) => stop),
    };
  }

  /** Checks every organization with new events, and seals those that are due. */
  async checkAll(): Promise<void> {
    const { projections, keys, log } = this.options;
    if (!projections.ready || projections.progress.role !== 'LEADER') {
      this.lastChecks.clear();
      this.stops.clear();
      return this.stopBoard.yieldToLeader();
    }
    const { models, progress } = projections;
    if (!this.options.isClockTrusted()) return;
    if (this.options.now().getTime() - progress.caughtUpAt > MAX_PROJECTION_LAG_MS) return;
    try {
      const key = await keys.currentKey();
      const due: DueSeal[] = [];
      for (const organizationId of progress.organizations) {
        if (this.stopped) return;
        const checkpoint = progress.checkpoint(organizationId);
        if (!checkpoint || !this.needsCheck(checkpoint, key)) continue;
        const dueSeal = await this.findDue(models, checkpoint, key);
        if (dueSeal !== null) due.push(dueSeal);
      }
      await this.sealAll(models, due);
      await this.stopBoard.publish(this.state.stops);
    } catch (error) {
      // A store that is down is tried again at the next check.
      if (!(error instanceof StoreUnavailable)) log.warn({ err: error }, 'seals: check failed');
    }
  }

  private needsCheck({ organizationId, position }: Checkpoint, key: SigningKey): boolean {
    const lastCheck = this.lastChecks.get(organizationId);
    return (
      this.stops.has(organizationId) ||
      lastCheck?.position !== position ||
      lastCheck.keyId !== key.key_id ||
      this.isOverdue(lastCheck.unsealedSince)
    );
  }

  private isOverdue(unsealedSince: number | null): boolean {
    return unsealedSince !== null && this.options.now().getTime() - unsealedSince >= MAX_UNSEALED_MS;
  }

  /** Returns an organization's seal if it is due, and its events weren't found to differ from the log just now. */
  private async findDue(models: ReadModels, checkpoint: Checkpoint, currentKey: SigningKey): Promise<DueSeal | null> {
    const { organizationId, position, logTime } = checkpoint;
    const state = await readSealState(models, checkpoint);
    if (state === null) return null;
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
      // After a rebuild, a seal is made at once, so that everybody sees that the stop is over.
      this.stops.has(organizationId) ||
      state.unsealed >= MAX_UNSEALED_EVENTS ||
      this.isOverdue(unsealedSince) ||
      (unsealedSince !== null &&
        (await hasAuditCompletion(
          models,
          checkpoint,
          Math.max(state.newestSeal?.data.size ?? 0, lastCheck?.position ?? 0),
        )));
    if (state.newestSeal !== null)
      this.newestSealTime = Math.max(this.newestSealTime ?? 0, Date.parse(state.newestSeal.data.sealed_at));
    if (isDue && !this.isStopped(organizationId, models.generation)) return { state, key };
    this.lastChecks.set(organizationId, { position, keyId: key.key_id, unsealed: state.unsealed, unsealedSince });
    return null;
  }

  /** Makes seals that are due, of organizations whose read models hold what the log says. */
  private async sealAll(models: ReadModels, due: readonly DueSeal[]): Promise<void> {
    if (due.length === 0) return;
    const stops = await this.logCheck.prepare(
      models,
      due.map(({ state }) => state),
    );
    for (const stop of stops) this.noteStop(stop, models.generation);
    for (const { state, key } of due) {
      const { organizationId } = state.checkpoint;
      if (this.stopped) return;
      if (stops.some(({ organization_id }) => organization_id === organizationId)) continue;
      const head = state.unsealed > 0 ? await this.checkedHead(models, state) : null;
      if (state.unsealed > 0 && head === null) continue;
      if (await this.seal(state, head, key)) this.lastChecks.delete(organizationId);
    }
  }

  /** Returns true if an organization's read models were found to differ from the log, and nothing was done about it since. */
  private isStopped(organizationId: string, generation: string): boolean {
    const last = this.stops.get(organizationId);
    return last?.generation === generation && monotonicMs() - last.checkedAtMs < STOPPED_INTERVAL_MS;
  }

  private noteStop(stop: SealStop, generation: string): void {
    const last = this.stops.get(stop.organization_id);
    this.stops.set(stop.organization_id, { stop, generation, checkedAtMs: monotonicMs() });
    if (last?.stop.from !== stop.from || last.stop.why !== stop.why)
      this.options.log.warn({ ...stop }, sealStopText(stop));
  }

  /** Returns the tree head to sign. Null if the read models don't agree with the log, or are about to. */
  private async checkedHead(models: ReadModels, state: SealState): Promise<TreeHead | null> {
    const now = this.options.projections.progress.checkpoint(state.checkpoint.organizationId);
    const head = await this.logCheck.head(models, state, now ?? state.checkpoint);
    if (head === null || !('why' in head)) return head;
    this.noteStop(head, models.generation);
    return null;
  }

  /**
   * Appends a seal, or only a key if there is no tree head to sign. Returns false if another instance was first, the store
   * is down, or sealing is paused.
   */
  private async seal(state: SealState, head: TreeHead | null, key: SigningKey): Promise<boolean> {
    const { checkpoint, newestEvent } = state;
    const organization_id = checkpoint.organizationId;
    const revision = newestEvent?.revision ?? NO_STREAM;
    // The rest of the history must be restored before anything is appended after it.
    if (await this.options.keys.isSealingPaused(organization_id)) {
      this.warnOnSecondFailure(organization_id, revision, PAUSED_MESSAGE);
      return false;
    }
    const decidedAt = monotonicMs();
    const recorded_at = this.options.now().toISOString();
    if (!this.options.isClockTrusted()) return false;
    const newEvents = await this.createSealEvents(state, head, key, recorded_at);
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
      const storePosition = await this.options.events.append(stream, events, revision, decidedAt);
      this.failures.delete(organization_id);
      this.stops.delete(organization_id);
      await this.options.projections.waitUntilProjected(organization_id, storePosition, PROJECTION_WAIT_MS);
      return true;
    } catch (error) {
      if (error instanceof RevisionConflict) this.warnOnSecondFailure(organization_id, revision, BEHIND_MESSAGE);
      else if (error instanceof StoreRefused) this.warnOnSecondFailure(organization_id, revision, error.message);
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
    { checkpoint: { organizationId }, newestEvent, newestSeal }: SealState,
    head: TreeHead | null,
    key: SigningKey,
    sealed_at: string,
  ): Promise<SealEvent[]> {
    const previous_seal = newestSeal?.hash ?? null;
    const events: SealEvent[] = [];
    if (newestEvent === null) events.push(introduceKey(organizationId, key));
    else if (newestEvent.data.key_id !== key.key_id) {
      events.push(await this.createKeyEvent(organizationId, newestEvent.data.key_id, previous_seal, key));
    }
    if (head !== null) events.push(makeSeal(organizationId, { ...head, sealed_at, previous_seal }, key));
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
