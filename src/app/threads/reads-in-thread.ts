import { eventLoopQueue } from '../../clock/event-loop-queue.ts';
import { OperatorNeeded, Refusal } from '../../commands/engine/refusal.ts';
import { type Caller, withCurrentRights } from '../../commands/organization/caller.ts';
import { requireUnchangedRights } from '../../commands/organization/permissions.ts';
import type { OpenRecordFile, RecordFileCall } from '../../http/files/record-files.ts';
import type { ReportFileAnswer, ReportFileCall, ReportFiles } from '../../http/files/report-files.ts';
import type { SpooledFiles } from '../../http/files/spooled-files.ts';
import { FairQueue, type TaskOwner } from '../../identity/fair-queue.ts';
import { logSize } from '../../queries/moments/moment.ts';
import type { ReadProgress } from '../../queries/moments/snapshot.ts';
import { StoreUnavailable } from '../../stores/errors.ts';
import type { ReadModels } from '../../stores/read-store.ts';
import type { CallContext, ToolService } from '../../tools/tool.ts';
import type { CallRunner, PreparedCall, ToolResult } from '../../tools/toolbox.ts';
import type { ThreadLog } from './messages.ts';
import type { HeavyReads, ProgressState, ReadMessages, ReadRequest, ReadThreadSettings } from './read-messages.ts';
import { RemoteContent } from './remote-content.ts';
import { ServiceThread } from './service-thread.ts';
import { startProgram } from './start-program.ts';
import type { ReadStatement } from './statements-in-thread.ts';

/**
 * The heap of the read thread. A read that needs more ends the thread: it and the other reads under way are refused, and
 * the service goes on.
 */
const MAX_HEAP_MB = 1_024;
/** The thread's share of the memory that a container may use. The rest is for the other threads, and for what is no heap. */
const HEAP_SHARE = 0.4;

/**
 * The reads in the thread at once. An account has at most one scan and one long read there, because each further one would
 * take time from other accounts, and none from its own. Long reads leave a place to scans, which end sooner.
 */
const READS_AT_ONCE = { total: 4, perAccount: 1, perKind: { LONG: 3 } };
/** Bulk calls of different accounts don't wait for each other: each takes its turns in the event loop between two records. */
const BULK_AT_ONCE = { total: Number.POSITIVE_INFINITY, perAccount: 1 };
/**
 * A call on organizations with smaller logs runs in the main thread, when its turn comes. It takes some 60 ms of CPU at most.
 * It holds up other calls for 13 ms at a time, with texts of 10,000 characters for up to 30 ms. Starting the read thread takes
 * 250 ms of CPU and 40 MB. `logSize` counts the bytes too: 800 events of 75 KB each held up other calls for 700 ms.
 */
const MIN_EVENTS_OF_THREAD = 1_000;

export interface ReadsInThreadOptions {
  settings: ReadThreadSettings;
  /** Returns the generation that this thread serves. @throws StoreUnavailable while there is none */
  served: () => { models: Pick<ReadModels, 'generation'>; progress: ReadProgress };
  /** Records in the access log that the caller generated a report. */
  reportGenerated: ToolService['reportGenerated'];
  log: ThreadLog;
  /** Keeps the finished report files. */
  spool: SpooledFiles;
  /** By default 1 GiB, or less in a container. */
  maxHeapMb?: number;
  /** By default `MIN_EVENTS_OF_THREAD`. */
  minEventsOfThread?: number;
}

/**
 * Runs heavy reads in a thread of their own, so that they delay no other call. A read sees at least what this thread has
 * answered for when it begins: the thread reads the same generation, and gets its progress with each request.
 */
export class ReadsInThread implements CallRunner {
  private readonly thread: ServiceThread<ReadMessages>;
  private readonly turns = new FairQueue(READS_AT_ONCE);
  private readonly bulkTurns = new FairQueue(BULK_AT_ONCE);
  private readonly listeners = new Map<number, NonNullable<CallContext['progress']>>();
  private readonly organizationsRead = new Set<readonly string[]>();
  private lastId = 0;

  constructor(private readonly options: ReadsInThreadOptions) {
    const { settings, log, maxHeapMb = readHeapMb(process.constrainedMemory()) } = options;
    this.thread = new ServiceThread({
      name: 'reads',
      start: () => startProgram('read-thread', settings, { maxOldGenerationSizeMb: maxHeapMb }),
      log,
      onNotice: (notice) => this.receive(notice),
    });
  }

  /** Ends the thread. Later reads are refused. */
  stop(): Promise<void> {
    return this.thread.stop();
  }

  /** Runs a call in the thread, or by `runHere` if it can't read much or writes. Reads take the same turns in both. */
  async run(
    call: PreparedCall,
    { signal, progress }: Pick<CallContext, 'signal' | 'progress'>,
    runHere?: (call: PreparedCall) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    if (runHere !== undefined && (call.load === 'BULK' || this.isSmall(call))) {
      const run = (caller: Caller) => runHere({ ...call, caller });
      if (call.load === 'BULK') return this.runBulk(call.caller, run, signal);
      return this.turns.run(call.caller, () => runNow(call.caller, run), { kind: call.load, signal });
    }
    const id = this.newId();
    if (progress) this.listeners.set(id, progress);
    const reportsProgress = progress !== undefined;
    const send = async () => {
      const read = { type: 'call', id, call: await withPlainCaller(call), reportsProgress } as const;
      return this.ask(read, call.organizations, signal);
    };
    try {
      return await this.turns.run(call.caller, send, { kind: call.load, signal });
    } finally {
      this.listeners.delete(id);
    }
  }

  /** Runs work on many records when it is the account's turn, with the rights that the caller has then. */
  runBulk<T>(caller: Caller, run: (caller: Caller) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.bulkTurns.run(caller, () => runNow(caller, run), { signal });
  }

  /** Reports as files, generated in the thread. */
  readonly reportFiles: ReportFiles = {
    generate: async (call: ReportFileCall, signal: AbortSignal): Promise<ReportFileAnswer> => {
      const { spool } = this.options;
      const path = spool.newPath();
      const { organization_id } = call.input;
      const send = async () => {
        spool.requireRoom(call.caller);
        const read = { type: 'reportFile', id: this.newId(), call: await withPlainCaller(call), path } as const;
        const { etag, file } = accepted(await this.ask(read, [organization_id], signal));
        await requireUnchangedRights(call.caller, [organization_id]);
        return { etag, file: file && { ...file, ...(await spool.take(call.caller, path)) } };
      };
      try {
        return await this.turns.run(call.caller, send, { kind: 'LONG', signal });
      } catch (error) {
        await spool.discard(path);
        throw error;
      }
    },
  };

  /** Opens a file of records or changes, read in the thread. */
  async openRecordFile(call: RecordFileCall, signal: AbortSignal): Promise<OpenRecordFile> {
    const id = this.newId();
    const { organization_id } = call.request;
    const content = this.contentOf(id, call);
    try {
      const send = async () =>
        this.ask({ type: 'recordFile', id, call: await withPlainCaller(call) }, [organization_id], signal);
      const file = accepted(await this.turns.run(call.caller, send, { kind: 'SCAN', signal }));
      await requireUnchangedRights(call.caller, [organization_id]);
      return { ...file, chunks: call.hasContent ? content : null };
    } catch (error) {
      await content.return();
      throw error;
    }
  }

  /** Runs a statement of a page in a turn of the person's account. A person has few pages at once: see `PageServer`. */
  async runStatement(owner: TaskOwner, statement: ReadStatement): Promise<unknown> {
    const read = { type: 'statement', id: this.newId(), statement } as const;
    const send = () => this.ask(read, [], undefined);
    return accepted(await this.turns.run(owner, send, { kind: 'SCAN', isContinued: true })).rows;
  }

  /** The finished report files. */
  get spool(): SpooledFiles {
    return this.options.spool;
  }

  get waitingCount(): number {
    return this.turns.waitingCount + this.bulkTurns.waitingCount;
  }

  private contentOf(id: number, call: { caller: Caller }): RemoteContent {
    const next = async () => (await this.thread.request({ type: 'chunk', id })) as Uint8Array | null;
    return new RemoteContent({
      next: () => this.turns.run(call.caller, next, { kind: 'SCAN', isContinued: true }),
      close: () => this.thread.notify({ type: 'close', id }),
    });
  }

  private isSmall({ organizations }: PreparedCall): boolean {
    const { served, minEventsOfThread = MIN_EVENTS_OF_THREAD } = this.options;
    const { progress } = served();
    const events = organizations.reduce((sum, id) => sum + logSize(progress.checkpoint(id)), 0);
    return events < minEventsOfThread;
  }

  private newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Sends a read, with the progress of this thread, and waits for its answer. */
  private async ask<Type extends keyof HeavyReads>(
    read: { type: Type; id: number } & HeavyReads[Type]['read'],
    organizations: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<HeavyReads[Type]['answer']> {
    // With the first read: a service without large organizations or reports never needs the thread.
    this.thread.start();
    const { models, progress } = this.options.served();
    // A copy, so that two reads of the same organizations are two members.
    const entry = [...organizations];
    this.organizationsRead.add(entry);
    const request = { ...read, generation: models.generation, state: this.stateOf(progress) } as ReadRequest;
    try {
      return (await this.thread.request(request, signal)) as HeavyReads[Type]['answer'];
    } catch (error) {
      throw error instanceof StoreUnavailable ? interrupted() : error;
    } finally {
      this.organizationsRead.delete(entry);
    }
  }

  /** Returns a generation's progress, for the reads under way. */
  private stateOf(progress: ReadProgress): ProgressState {
    const organizations = [...new Set([...this.organizationsRead].flat())];
    const checkpoints = organizations.map((id) => progress.checkpoint(id)).filter((checkpoint) => checkpoint !== null);
    return { caughtUpAt: progress.caughtUpAt, checkpoints };
  }

  private receive(notice: ReadMessages['toMain']): void {
    switch (notice.type) {
      case 'progress':
        this.listeners.get(notice.id)?.(notice.done, notice.total, notice.message);
        break;
      case 'report generated':
        this.options.reportGenerated(notice.caller, notice.report);
        break;
      case 'wait':
        void this.wait(notice);
        break;
    }
  }

  /** Waits for the thread. A generation that is not served any more makes no progress, and its successor's is not its own. */
  private async wait(notice: Extract<ReadMessages['toMain'], { type: 'wait' }>): Promise<void> {
    const { id, generation, moment, ms } = notice;
    const { models, progress } = this.options.served();
    const isServed = models.generation === generation;
    if (isServed) await progress.waitUntilCaughtUp(moment, ms);
    this.thread.notify({ type: 'waited', id, state: isServed ? this.stateOf(progress) : null });
  }
}

/** Returns the heap for the read thread. @param limit of the container in bytes; 0 or a huge number without one */
export function readHeapMb(limit: number | undefined): number {
  return limit ? Math.min(MAX_HEAP_MB, Math.floor((limit * HEAP_SHARE) / (1 << 20))) : MAX_HEAP_MB;
}

/** Runs a call in this thread. Calls that an embedded store answers at once would otherwise all run in one turn of the loop. */
async function runNow<T>(caller: Caller, run: (caller: Caller) => Promise<T>): Promise<T> {
  await eventLoopQueue.wait(caller.account_id);
  return run(await withCurrentRights(caller));
}

/** Returns a call that can be sent to a thread, with the rights that its caller has when its turn comes. */
async function withPlainCaller<Call extends { caller: Caller }>(call: Call): Promise<Call> {
  const { confirm: _confirm, renew: _renew, ...caller } = await withCurrentRights(call.caller);
  return { ...call, caller };
}

/** Returns an answer that is no refusal. @throws Refusal */
function accepted<Answer extends object>(answer: Answer): Exclude<Answer, { refusal: unknown }> {
  if (!('refusal' in answer)) return answer as Exclude<Answer, { refusal: unknown }>;
  const {
    code,
    message,
    more,
    answer: members,
    canRepeat,
  } = answer.refusal as Extract<HeavyReads['reportFile']['answer'], { refusal: unknown }>['refusal'];
  if (canRepeat !== null) throw new OperatorNeeded(message, canRepeat, more);
  throw new Refusal(code, message, more, members);
}

const interrupted = () =>
  new Refusal('unavailable', 'The read was interrupted. Repeat the call; if it fails again, ask for less.', {
    retry_after_seconds: 2,
  });
