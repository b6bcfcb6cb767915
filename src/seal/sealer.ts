import { randomUUID } from 'node:crypto';
import { CHANGES } from '../projections/changes.ts';
import type { Projections } from '../projections/projections.ts';
import { type LogSealedDocument, newestSeal, newestSealFact, SEALS, type SealDocument } from '../projections/sealed.ts';
import { readNodes } from '../projections/tree.ts';
import { RevisionConflict, StoreUnavailable } from '../stores/errors.ts';
import { type EventStore, NO_STREAM } from '../stores/event-store.ts';
import type { Checkpoint, ReadModels } from '../stores/read-store.ts';
import { chainEvents } from '../trail/hash.ts';
import type { SigningKey } from '../trail/key.ts';
import { rangeHash } from '../trail/merkle.ts';
import { introduceKey, makeSeal, replaceKey, rotateKey, type SealEvent, sealStream } from '../trail/seal-events.ts';
import type { SealKeys } from './seal-keys.ts';

export interface SealerOptions {
  events: EventStore;
  projections: Pick<Projections, 'ready' | 'runner' | 'models' | 'passed'>;
  keys: SealKeys;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

const CHECK_INTERVAL_MS = 1_000;
/** A seal is made after so many events, or so long after the first of them. Those of the seal stream do not count. */
const MAX_UNSEALED_EVENTS = 256;
const MAX_UNSEALED_MS = 60_000;
/** How long a look waits to see its own seal. */
const PROJECTION_WAIT_MS = 1_000;

/**
 * A seal is of what the read models know and stands at the log's end, and verifiers remember so many events only (WINDOW).
 * Where the read models are further behind than this, after a store was away for example, none is made: at 3,500 events a
 * second it is half of that.
 */
const MAX_PROJECTION_LAG_MS = 10_000;

const BEHIND_MESSAGE = 'seals: none can be made: the seal stream has events that the read models do not know';
const PAUSED_MESSAGE = 'seals: none are made until the restore of this history is finished';

/** An organization as it was looked at last, with something left to be sealed or nothing. */
interface LastCheck {
  position: number;
  keyId: string;
  unsealed: number;
  /** When the oldest unsealed event came, as far as is known (epoch milliseconds); null where there is none. */
  since: number | null;
}

/** What is sealed, and what is not, as of a checkpoint. */
interface SealState {
  checkpoint: Checkpoint;
  newestSealTime: SealDocument | null;
  seal: LogSealedDocument | null;
  /** Unsealed events, those of the seal stream apart. */
  unsealed: number;
}

/**
 * Seals organizations' logs, on the instance that is elected to project. It looks only at read models, which are as new
 * as their checkpoint; whatever else may have happened, the append's expected revision lets one seal of two through.
 */
export class Sealer {
  private readonly lastChecks = new Map<string, LastCheck>();
  /** By organization, what kept it from being sealed last, behind which revision, and how often. */
  private readonly failures = new Map<string, { what: string; revision: number; times: number }>();
  private timer: NodeJS.Timeout | null = null;
  private currentCheck: Promise<void> | null = null;
  private stopped = false;
  private newest: number | null = null;

  constructor(private readonly options: SealerOptions) {}

  start(): void {
    this.timer = setInterval(() => {
      this.currentCheck ??= this.checkAll().finally(() => {
        this.currentCheck = null;
      });
    }, CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  /** Stops after the organization that is being looked at. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.currentCheck;
  }

  /** The state of all organizations' seals, where this instance makes them. Times are epoch milliseconds. */
  get state(): { unsealed: number; unsealedSince: number | null; newestSeal: number | null } {
    const waiting = [...this.lastChecks.values()].filter(({ unsealed }) => unsealed > 0);
    const since = waiting.flatMap((one) => one.since ?? []);
    return {
      unsealed: waiting.reduce((sum, { unsealed }) => sum + unsealed, 0),
      unsealedSince: since.length === 0 ? null : Math.min(...since),
      newestSeal: this.newest,
    };
  }

  /** Looks once at every organization that has moved, and seals what is due. */
  async checkAll(): Promise<void> {
    const { projections, keys, log } = this.options;
    if (!projections.ready || projections.runner.role !== 'LEADER') return this.lastChecks.clear();
    const { models, runner } = projections;
    if (Date.now() - runner.caughtUpAt > MAX_PROJECTION_LAG_MS) return;
    try {
      const key = await keys.current();
      for (const organizationId of runner.organizations) {
        if (this.stopped) return;
        const checkpoint = runner.checkpoint(organizationId);
        if (checkpoint && this.needsCheck(checkpoint, key)) await this.checkOrganization(models, checkpoint, key);
      }
    } catch (error) {
      // A store that is away, or a read model that has just been closed: the next look is soon.
      if (!(error instanceof StoreUnavailable)) log.warn({ err: error }, 'seals: could not look');
    }
  }

  private needsCheck({ organizationId, position }: Checkpoint, key: SigningKey): boolean {
    const seen = this.lastChecks.get(organizationId);
    return seen?.position !== position || seen.keyId !== key.key_id || this.isOverdue(seen.since);
  }

  private isOverdue(since: number | null): boolean {
    return since !== null && this.options.now().getTime() - since >= MAX_UNSEALED_MS;
  }

  private async checkOrganization(models: ReadModels, checkpoint: Checkpoint, known: SigningKey): Promise<void> {
    const { organizationId, position, logTime } = checkpoint;
    const state = await readSealState(models, checkpoint);
    if (state === null) return;
    const seen = this.lastChecks.get(organizationId);
    const arrived = Math.min(this.options.now().getTime(), Date.parse(logTime));
    const since = state.unsealed > 0 ? (seen?.since ?? arrived) : null;
    const isOther = ({ key_id }: SigningKey) =>
      state.newestSealTime !== null && state.newestSealTime.data.key_id !== key_id;
    // Asked again: another instance may have gone on to a newer key since, and nobody goes back to one that was let go.
    const key = isOther(known) ? await this.options.keys.current() : known;
    const isOtherKey = isOther(key);
    const due =
      isOtherKey ||
      state.unsealed >= MAX_UNSEALED_EVENTS ||
      this.isOverdue(since) ||
      (since !== null &&
        (await hasAuditCompletion(models, checkpoint, Math.max(state.seal?.data.size ?? 0, seen?.position ?? 0))));
    if (!due) this.lastChecks.set(organizationId, { position, keyId: key.key_id, unsealed: state.unsealed, since });
    else if (await this.seal(models, state, key)) this.lastChecks.delete(organizationId);
    if (state.seal !== null) this.newest = Math.max(this.newest ?? 0, Date.parse(state.seal.data.sealed_at));
  }

  /** Answers whether it was done: another may have been first, or the store be away. */
  private async seal(models: ReadModels, state: SealState, key: SigningKey): Promise<boolean> {
    const { checkpoint, newestSealTime: newest } = state;
    const organization_id = checkpoint.organizationId;
    const revision = newest?.revision ?? NO_STREAM;
    // A seal behind half of a history would stand in the way of the rest.
    if (await this.options.keys.isSealingPaused(organization_id)) {
      this.warnOnSecondFailure(organization_id, revision, PAUSED_MESSAGE);
      return false;
    }
    const recorded_at = this.options.now().toISOString();
    const facts = await this.makeSealEvents(models, state, key, recorded_at);
    const command_id = randomUUID();
    const stream = sealStream(organization_id);
    const events = chainEvents({
      stream,
      revision,
      previousHash: newest?.hash ?? null,
      metadata: {
        ...{ organization_id, actor_id: 'SYSTEM', token_id: null, client: null },
        ...{ command_id, correlation_id: command_id, causation_id: null, recorded_at },
      },
      input: {},
      newEvents: facts.map(({ type, data }) => ({ type, data: { ...data } })),
      schemaVersion: () => 1,
    });
    try {
      const storePosition = await this.options.events.append(stream, events, revision);
      this.failures.delete(organization_id);
      await this.options.projections.passed(organization_id, storePosition, PROJECTION_WAIT_MS);
      return true;
    } catch (error) {
      if (error instanceof RevisionConflict) this.warnOnSecondFailure(organization_id, revision, BEHIND_MESSAGE);
      else if (!(error instanceof StoreUnavailable)) throw error;
      return false;
    }
  }

  /** Once, another was first. Twice at one place, it is more than that. */
  private warnOnSecondFailure(organization_id: string, revision: number, what: string): void {
    const last = this.failures.get(organization_id);
    const times = last?.what === what && last.revision === revision ? last.times + 1 : 1;
    this.failures.set(organization_id, { what, revision, times });
    if (times === 2) this.options.log.warn({ organization_id, revision }, what);
  }

  private async makeSealEvents(
    models: ReadModels,
    state: SealState,
    key: SigningKey,
    sealed_at: string,
  ): Promise<SealEvent[]> {
    const { newestSealTime: newest, seal, unsealed } = state;
    const { organizationId, position: size } = state.checkpoint;
    const previous_seal = seal?.hash ?? null;
    const facts: SealEvent[] = [];
    if (newest === null) facts.push(introduceKey(organizationId, key));
    else if (newest.data.key_id !== key.key_id) {
      facts.push(await this.makeKeyEvent(organizationId, newest.data.key_id, previous_seal, key));
    }
    if (unsealed > 0) {
      const whole = { from: 0, to: size };
      const root = rangeHash(whole, await readNodes(models, organizationId, [whole])).toString('hex');
      facts.push(makeSeal(organizationId, { size, root, sealed_at, previous_seal }, key));
    }
    return facts;
  }

  /** How a key takes over from another: by both, or by itself alone where the other is lost. */
  private async makeKeyEvent(
    organizationId: string,
    fromId: string,
    previous_seal: string | null,
    key: SigningKey,
  ): Promise<SealEvent> {
    const from = await this.options.keys.find(fromId);
    if (from !== null) return rotateKey(organizationId, previous_seal, from, key);
    const details = { organization_id: organizationId, lost_key: fromId, key: key.key_id };
    this.options.log.warn(details, 'seals: the key of earlier seals is not here, so another one takes over by itself');
    return replaceKey(organizationId, previous_seal, key);
  }
}

/** Null where the read models are ahead of the checkpoint: the next look has a newer one. */
async function readSealState(models: ReadModels, checkpoint: Checkpoint): Promise<SealState | null> {
  const { organizationId, position } = checkpoint;
  const newest = await newestSealFact(models, organizationId);
  if (newest !== null && newest.position > position) return null;
  const seal = newest?.type === 'LogSealed' ? newest : newest && (await newestSeal(models, organizationId));
  const size = seal?.data.size ?? 0;
  const behind = { key: 'position', op: 'range', gt: size } as const;
  const [count] = newest ? await models.count({ collection: SEALS.name, organizationId, where: [behind] }) : [];
  return { checkpoint, newestSealTime: newest, seal, unsealed: position - size - (count?.total ?? 0) };
}

/** Whether an audit was completed by one of the events after a position. */
async function hasAuditCompletion(
  models: ReadModels,
  { organizationId, position }: Checkpoint,
  after: number,
): Promise<boolean> {
  const found = await models.find({
    collection: CHANGES.name,
    organizationId,
    where: [
      { key: 'position', op: 'range', gt: after, lte: position },
      { key: 'event_type', op: 'eq', value: 'AuditCompleted' },
    ],
    order: { key: 'position', direction: 'ASC' },
    limit: 1,
  });
  return found.length > 0;
}
