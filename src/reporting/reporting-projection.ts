import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../clock/monotonic.ts';
import { activeGeneration } from '../projections/engine/active-generation.ts';
import { LEASE_RENEWAL_MS, LeaseHold } from '../projections/engine/lease.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../projections/models.ts';
import { Fenced, StoreRefused, StoreUnavailable } from '../stores/errors.ts';
import type { Checkpoint, ReadModels, ReadStore } from '../stores/read-store.ts';
import type { ReportingStore, Row, WriteRows } from '../stores/reporting-store.ts';
import { enumRows, figureRows } from './dimension-rows.ts';
import { type FollowedProgress, OrganizationStep } from './follow-organization.ts';
import { peopleChanges, type ReadNames, readPeople } from './people.ts';
import {
  ENUM_VALUES_TABLE,
  FIGURES_TABLE,
  PEOPLE_TABLE,
  PROGRESS_TABLE,
  REPORTING_SCHEMA,
  REPORTING_VERSION,
} from './tables.ts';

/** Between looks for progress of the read models. */
const FOLLOW_INTERVAL_MS = 500;
/** Between comparisons of people with the account store. */
const PEOPLE_INTERVAL_MS = 20_000;
const FAILURE_PAUSE_MS = 2_000;
const REFUSED_PAUSE_MS = 30_000;
/** Steps of one organization in a transaction, in which it catches up with its read models. */
const MAX_STEPS = 5;

/** The state of the reporting database, for health. */
export interface ReportingState {
  /** STANDBY: another instance writes it. OFF: the service may not write it. */
  state: 'STARTING' | 'BUILDING' | 'FOLLOWING' | 'STANDBY' | 'FAILING' | 'OFF';
  /** The time for which the database has lacked an event that the read models have; 0 if it is up to date. */
  lag_ms: number;
  /** The reason for FAILING and OFF, or what was mended last, for the operator. */
  problem?: string;
}

export interface ReportingProjectionOptions {
  reads: ReadStore;
  /** Opens the database. @param onMended called if a damaged one was thrown away */
  open: (onMended: (finding: string) => void) => Promise<ReportingStore>;
  readNames: ReadNames;
  installation: string;
  /** Identifies this instance in the lease. */
  holder: string;
  /** No other server can run on these stores. */
  exclusive: boolean;
  now: () => Date;
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  onState: (state: ReportingState) => void;
}

/**
 * Keeps the reporting database up to date with the read models. It reads their documents, so it needs no log and no lock.
 * Nothing waits for it, and its failures end with a pause and another attempt.
 */
export class ReportingProjection {
  private readonly stopping = new AbortController();
  private readonly lease: LeaseHold;
  private store: ReportingStore | null = null;
  private models: ReadModels | null = null;
  /** Null until it is read from the database. */
  private progress: Map<string, FollowedProgress> | null = null;
  /** The day up to which figures are written. */
  private figuresDay = '';
  private peopleAt = Number.NEGATIVE_INFINITY;
  private mended: string | undefined;
  private behindSince: number | null = null;
  private lastFailure: string | null = null;
  private isLeader = false;
  private leaseAt = Number.NEGATIVE_INFINITY;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: ReportingProjectionOptions) {
    const { reads, holder, exclusive } = options;
    this.lease = new LeaseHold({ reads, generation: 'reporting', holder, exclusive });
  }

  start(): void {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    await this.lease.release().catch(() => undefined);
    await this.close();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const pauseMs = await this.follow().catch((error: unknown) => this.fail(error));
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Writes what the database lacks. Returns the pause before the next look. */
  private async follow(): Promise<number> {
    if (!(await this.leads())) {
      this.report('STANDBY');
      return FOLLOW_INTERVAL_MS;
    }
    const models = await this.openServed();
    if (models === null) return FOLLOW_INTERVAL_MS;
    this.store ??= await this.options.open((finding) => {
      this.mended = finding;
      this.options.log.warn({}, `reporting database: ${finding}`);
    });
    const source = `${REPORTING_VERSION}.${SCHEMA_HASH}.${models.generation}`;
    if ((await this.store.source()) === source) await this.catchUp(this.store, models);
    else await this.rebuild(this.store, models, source);
    await this.followPeople(this.store, models);
    this.behindSince = null;
    this.report('FOLLOWING');
    return FOLLOW_INTERVAL_MS;
  }

  /** Takes or renews the lease. The sole server needs none. */
  private async leads(): Promise<boolean> {
    if (this.options.exclusive) return true;
    if (monotonicMs() - this.leaseAt < LEASE_RENEWAL_MS) return this.isLeader;
    this.leaseAt = monotonicMs();
    const wasLeader = this.isLeader;
    this.isLeader = (wasLeader && (await this.lease.renew(0))) || (await this.lease.take());
    // Another instance may have written meanwhile.
    if (!this.isLeader || !wasLeader) await this.close();
    return this.isLeader;
  }

  /** Returns the read models that are served; null while there are none of this version and log. */
  private async openServed(): Promise<ReadModels | null> {
    const { reads, installation } = this.options;
    const active = await activeGeneration(reads);
    if (active === null || active.version !== PROJECTIONS_VERSION || active.installation !== installation) return null;
    if (this.models?.generation === active.generation) return this.models;
    await this.models?.close();
    this.models = null;
    this.models = await reads.open(active.generation, COLLECTIONS);
    return this.models;
  }

  private async catchUp(store: ReportingStore, models: ReadModels): Promise<void> {
    this.progress ??= await readProgress(store);
    const { progress } = this;
    const checkpoints = await models.checkpoints();
    const isNewDay = this.figuresDay !== this.today;
    const behind = checkpoints.filter(
      ({ organizationId, position }) => isNewDay || position > (progress.get(organizationId)?.position ?? 0),
    );
    if (behind.length === 0) return;
    this.behindSince ??= monotonicMs();
    await store.update((write) => this.writeOrganizations(models, write, behind, progress));
  }

  private async rebuild(store: ReportingStore, models: ReadModels, source: string): Promise<void> {
    const begin = monotonicMs();
    this.behindSince ??= begin;
    this.report('BUILDING');
    const progress = new Map<string, FollowedProgress>();
    this.figuresDay = '';
    await store.rebuild(
      source,
      async (write) => {
        await write(
          FIGURES_TABLE.name,
          figureRows().map((put) => ({ put })),
        );
        await write(
          ENUM_VALUES_TABLE.name,
          enumRows().map((put) => ({ put })),
        );
        await this.writeOrganizations(models, write, await models.checkpoints(), progress);
        await write(
          PEOPLE_TABLE.name,
          (await this.readPeople(models)).map((put) => ({ put })),
        );
      },
      this.confirm,
    );
    this.options.log.info({ ms: Math.round(monotonicMs() - begin) }, 'reporting database: rebuilt');
  }

  /** Writes the new rows of some organizations. Sets `progress`, and forgets all of it if that fails. */
  private async writeOrganizations(
    models: ReadModels,
    write: WriteRows,
    checkpoints: readonly Checkpoint[],
    progress: Map<string, FollowedProgress>,
  ): Promise<void> {
    this.progress = null;
    const { today } = this;
    const isNewDay = this.figuresDay !== today;
    for (const { organizationId } of checkpoints) {
      const from = progress.get(organizationId) ?? { position: 0, logTime: '' };
      progress.set(organizationId, await this.writeOrganization(models, write, organizationId, from, isNewDay));
    }
    this.figuresDay = today;
    this.progress = progress;
  }

  private async writeOrganization(
    models: ReadModels,
    write: WriteRows,
    organizationId: string,
    from: FollowedProgress,
    isNewDay: boolean,
  ): Promise<FollowedProgress> {
    const writeUnlessStopped: WriteRows = async (table, changes) => {
      await this.confirm();
      await write(table, changes);
    };
    let progress = from;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const checkpoint = await models.checkpoint(organizationId);
      if (checkpoint === null || (step > 0 && checkpoint.position === progress.position)) break;
      const figuresUntil = { today: this.today, ofAllSeries: isNewDay && step === 0 };
      await new OrganizationStep(models, writeUnlessStopped, progress, checkpoint).run(figuresUntil);
      progress = { position: checkpoint.position, logTime: checkpoint.logTime };
    }
    return progress;
  }

  /** Renews the lease: a rebuild takes longer than it lasts. @throws Error if this instance stops, or no longer leads */
  private readonly confirm = async (): Promise<void> => {
    this.stopping.signal.throwIfAborted();
    if (!(await this.leads())) throw new Fenced('another instance writes the reporting database now');
  };

  /** Compares people with the account store, where names change and accounts are erased without an event. */
  private async followPeople(store: ReportingStore, models: ReadModels): Promise<void> {
    if (monotonicMs() - this.peopleAt < PEOPLE_INTERVAL_MS) return;
    const changes = peopleChanges(await store.read(PEOPLE_TABLE.name), await this.readPeople(models));
    if (changes.length > 0) await store.update((write) => write(PEOPLE_TABLE.name, changes));
    this.peopleAt = monotonicMs();
  }

  private async readPeople(models: ReadModels): Promise<Row[]> {
    const organizationIds = (await models.checkpoints()).map(({ organizationId }) => organizationId);
    return readPeople(models, organizationIds, this.options.readNames, this.options.now().toISOString());
  }

  /** Reports a failure, and returns the pause before the next attempt. */
  private async fail(error: unknown): Promise<number> {
    if (this.stopping.signal.aborted) return 0;
    await this.close();
    if (error instanceof Fenced) {
      this.leaseAt = Number.NEGATIVE_INFINITY;
      this.report('STANDBY');
      return FOLLOW_INTERVAL_MS;
    }
    const isRefused = error instanceof StoreRefused;
    const message = error instanceof Error ? error.message : String(error);
    if (this.lastFailure !== message) this.options.log.warn({ err: error }, 'reporting database: could not be written');
    this.lastFailure = message;
    this.report(
      isRefused ? 'OFF' : 'FAILING',
      error instanceof StoreUnavailable ? message : 'The service log has the error.',
    );
    return isRefused ? REFUSED_PAUSE_MS : FAILURE_PAUSE_MS;
  }

  private report(state: ReportingState['state'], problem = this.mended): void {
    if (state === 'FOLLOWING') this.lastFailure = null;
    const lag_ms = this.behindSince === null ? 0 : Math.round(monotonicMs() - this.behindSince);
    this.options.onState({ state, lag_ms, ...(problem === undefined ? {} : { problem }) });
  }

  /** Closes both stores' parts. The next look opens them again. */
  private async close(): Promise<void> {
    const { store, models } = this;
    this.store = null;
    this.models = null;
    this.progress = null;
    await store?.close().catch(() => undefined);
    await models?.close().catch(() => undefined);
  }

  private get today(): string {
    return this.options.now().toISOString().slice(0, 10);
  }
}

/** Another shape of the tables is another source, so all rows are made anew. */
const SCHEMA_HASH = createHash('sha256').update(JSON.stringify(REPORTING_SCHEMA)).digest('hex').slice(0, 12);

/** Returns the progress of each organization: that of its table which is behind most. */
async function readProgress(store: ReportingStore): Promise<Map<string, FollowedProgress>> {
  const progress = new Map<string, FollowedProgress>();
  for (const { organization_id, position, log_time } of await store.read(PROGRESS_TABLE.name)) {
    const id = String(organization_id);
    const before = progress.get(id);
    if (before === undefined || Number(position) < before.position)
      progress.set(id, { position: Number(position), logTime: String(log_time) });
  }
  return progress;
}
