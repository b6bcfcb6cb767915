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
import { introduceKey, makeSeal, replaceKey, rotateKey, type SealFact, sealStream } from '../trail/seal.ts';
import type { SealKeys } from './keys.ts';

export interface SealerOptions {
  events: EventStore;
  projections: Pick<Projections, 'ready' | 'runner' | 'models' | 'passed'>;
  keys: SealKeys;
  now: () => Date;
  log: { warn(details: object, message: string): void };
}

const LOOK_MS = 1_000;
/** A seal is made after so many events, or so long after the first of them. Those of the seal stream do not count. */
const MOST_UNSEALED = 256;
const MOST_MS = 60_000;
/** How long a look waits to see its own seal. */
const SEEN_MS = 1_000;

/**
 * A seal is of what the read models know and stands at the log's end, and verifiers remember so many events only (WINDOW).
 * Where the read models are further behind than this, after a store was away for example, none is made: at 3,500 events a
 * second it is half of that.
 */
const MOST_BEHIND_MS = 10_000;

const BEHIND = 'seals: none can be made: the seal stream has events that the read models do not know';
const HELD = 'seals: none are made until the restore of this history is finished';

/** An organization as it was looked at last, with something left to be sealed or nothing. */
interface Seen {
  ordinal: number;
  keyId: string;
  unsealed: number;
  /** When the oldest unsealed event came, as far as is known (epoch milliseconds); null where there is none. */
  since: number | null;
}

/** What is sealed, and what is not, as of a checkpoint. */
interface State {
  checkpoint: Checkpoint;
  newest: SealDocument | null;
  seal: LogSealedDocument | null;
  /** Unsealed events, those of the seal stream apart. */
  unsealed: number;
}

/**
 * Seals organizations' logs, on the instance that is elected to project. It looks only at read models, which are as new
 * as their checkpoint; whatever else may have happened, the append's expected revision lets one seal of two through.
 */
export class Sealer {
  private readonly seen = new Map<string, Seen>();
  /** By organization, what kept it from being sealed last, behind which revision, and how often. */
  private readonly hindered = new Map<string, { what: string; revision: number; times: number }>();
  private timer: NodeJS.Timeout | null = null;
  private busy: Promise<void> | null = null;
  private stopped = false;
  private newest: number | null = null;

  constructor(private readonly options: SealerOptions) {}

  start(): void {
    this.timer = setInterval(() => {
      this.busy ??= this.look().finally(() => {
        this.busy = null;
      });
    }, LOOK_MS);
    this.timer.unref();
  }

  /** Stops after the organization that is being looked at. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    await this.busy;
  }

  /** The state of all organizations' seals, where this instance makes them. Times are epoch milliseconds. */
  get state(): { unsealed: number; unsealedSince: number | null; newestSeal: number | null } {
    const waiting = [...this.seen.values()].filter(({ unsealed }) => unsealed > 0);
    const since = waiting.flatMap((one) => one.since ?? []);
    return {
      unsealed: waiting.reduce((sum, { unsealed }) => sum + unsealed, 0),
      unsealedSince: since.length === 0 ? null : Math.min(...since),
      newestSeal: this.newest,
    };
  }

  /** Looks once at every organization that has moved, and seals what is due. */
  async look(): Promise<void> {
    const { projections, keys, log } = this.options;
    if (!projections.ready || projections.runner.role !== 'LEADER') return this.seen.clear();
    const { models, runner } = projections;
    if (Date.now() - runner.caughtUpAt > MOST_BEHIND_MS) return;
    try {
      const key = await keys.current();
      for (const organizationId of runner.organizations) {
        if (this.stopped) return;
        const checkpoint = runner.checkpoint(organizationId);
        if (checkpoint && this.isWorthALook(checkpoint, key)) await this.lookAt(models, checkpoint, key);
      }
    } catch (error) {
      // A store that is away, or a read model that has just been closed: the next look is soon.
      if (!(error instanceof StoreUnavailable)) log.warn({ err: error }, 'seals: could not look');
    }
  }

  private isWorthALook({ group, ordinal }: Checkpoint, key: SigningKey): boolean {
    const seen = this.seen.get(group);
    return seen?.ordinal !== ordinal || seen.keyId !== key.key_id || this.isLate(seen.since);
  }

  private isLate(since: number | null): boolean {
    return since !== null && this.options.now().getTime() - since >= MOST_MS;
  }

  private async lookAt(models: ReadModels, checkpoint: Checkpoint, known: SigningKey): Promise<void> {
    const { group, ordinal, log_time } = checkpoint;
    const state = await stateOf(models, checkpoint);
    if (state === null) return;
    const seen = this.seen.get(group);
    const arrived = Math.min(this.options.now().getTime(), Date.parse(log_time));
    const since = state.unsealed > 0 ? (seen?.since ?? arrived) : null;
    const isOther = ({ key_id }: SigningKey) => state.newest !== null && state.newest.data.key_id !== key_id;
    // Asked again: another instance may have gone on to a newer key since, and nobody goes back to one that was let go.
    const key = isOther(known) ? await this.options.keys.current() : known;
    const isOtherKey = isOther(key);
    const due =
      isOtherKey ||
      state.unsealed >= MOST_UNSEALED ||
      this.isLate(since) ||
      (since !== null &&
        (await hasCompletion(models, checkpoint, Math.max(state.seal?.data.size ?? 0, seen?.ordinal ?? 0))));
    if (!due) this.seen.set(group, { ordinal, keyId: key.key_id, unsealed: state.unsealed, since });
    else if (await this.seal(models, state, key)) this.seen.delete(group);
    if (state.seal !== null) this.newest = Math.max(this.newest ?? 0, Date.parse(state.seal.data.sealed_at));
  }

  /** Answers whether it was done: another may have been first, or the store be away. */
  private async seal(models: ReadModels, state: State, key: SigningKey): Promise<boolean> {
    const { checkpoint, newest } = state;
    const organization_id = checkpoint.group;
    const revision = newest?.revision ?? NO_STREAM;
    // A seal behind half of a history would stand in the way of the rest.
    if (await this.options.keys.isHeld(organization_id)) {
      this.tell(organization_id, revision, HELD);
      return false;
    }
    const recorded_at = this.options.now().toISOString();
    const facts = await this.factsOf(models, state, key, recorded_at);
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
      drafts: facts.map(({ type, data }) => ({ type, data: { ...data } })),
      schemaVersion: () => 1,
    });
    try {
      const position = await this.options.events.append(stream, events, revision);
      this.hindered.delete(organization_id);
      await this.options.projections.passed(organization_id, position, SEEN_MS);
      return true;
    } catch (error) {
      if (error instanceof RevisionConflict) this.tell(organization_id, revision, BEHIND);
      else if (!(error instanceof StoreUnavailable)) throw error;
      return false;
    }
  }

  /** Once, another was first. Twice at one place, it is more than that. */
  private tell(organization_id: string, revision: number, what: string): void {
    const last = this.hindered.get(organization_id);
    const times = last?.what === what && last.revision === revision ? last.times + 1 : 1;
    this.hindered.set(organization_id, { what, revision, times });
    if (times === 2) this.options.log.warn({ organization_id, revision }, what);
  }

  private async factsOf(models: ReadModels, state: State, key: SigningKey, sealed_at: string): Promise<SealFact[]> {
    const { newest, seal, unsealed } = state;
    const { group: organizationId, ordinal: size } = state.checkpoint;
    const previous_seal = seal?.hash ?? null;
    const facts: SealFact[] = [];
    if (newest === null) facts.push(introduceKey(organizationId, key));
    else if (newest.data.key_id !== key.key_id) {
      facts.push(await this.succession(organizationId, newest.data.key_id, previous_seal, key));
    }
    if (unsealed > 0) {
      const whole = { from: 0, to: size };
      const root = rangeHash(whole, await readNodes(models, organizationId, [whole])).toString('hex');
      facts.push(makeSeal(organizationId, { size, root, sealed_at, previous_seal }, key));
    }
    return facts;
  }

  /** How a key takes over from another: by both, or by itself alone where the other is lost. */
  private async succession(
    organizationId: string,
    fromId: string,
    previous_seal: string | null,
    key: SigningKey,
  ): Promise<SealFact> {
    const from = await this.options.keys.find(fromId);
    if (from !== null) return rotateKey(organizationId, previous_seal, from, key);
    const details = { organization_id: organizationId, lost_key: fromId, key: key.key_id };
    this.options.log.warn(details, 'seals: the key of earlier seals is not here, so another one takes over by itself');
    return replaceKey(organizationId, previous_seal, key);
  }
}

/** Null where the read models are ahead of the checkpoint: the next look has a newer one. */
async function stateOf(models: ReadModels, checkpoint: Checkpoint): Promise<State | null> {
  const { group, ordinal } = checkpoint;
  const newest = await newestSealFact(models, group);
  if (newest !== null && newest.position > ordinal) return null;
  const seal = newest?.type === 'LogSealed' ? newest : newest && (await newestSeal(models, group));
  const size = seal?.data.size ?? 0;
  const behind = { key: 'position', op: 'range', gt: size } as const;
  const [count] = newest ? await models.count({ collection: SEALS.name, organizationId: group, where: [behind] }) : [];
  return { checkpoint, newest, seal, unsealed: ordinal - size - (count?.total ?? 0) };
}

/** Whether an audit was completed by one of the events after an ordinal. */
async function hasCompletion(models: ReadModels, { group, ordinal }: Checkpoint, after: number): Promise<boolean> {
  const found = await models.find({
    collection: CHANGES.name,
    organizationId: group,
    where: [
      { key: 'position', op: 'range', gt: after, lte: ordinal },
      { key: 'event_type', op: 'eq', value: 'AuditCompleted' },
    ],
    order: { key: 'position', direction: 'ASC' },
    limit: 1,
  });
  return found.length > 0;
}
