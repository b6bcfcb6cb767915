import { ClockInDoubt } from '../clock/clock-in-doubt.ts';
import type { ServiceClock } from '../clock/service-clock.ts';
import { CommandHandler, type HandlerOptions } from '../commands/engine/handler.ts';
import type { AccessLogReader } from '../identity/access-log/access-log-reader.ts';
import type { TaskOwner } from '../identity/fair-queue.ts';
import { ImportedNames } from '../identity/imported-names.ts';
import { LiveInstances } from '../projections/engine/instances.ts';
import { Projections } from '../projections/projections.ts';
import type { ServedProjections } from '../projections/served-projections.ts';
import type { Reader } from '../queries/moments/snapshot.ts';
import type { NameReader } from '../queries/records/member-names.ts';
import { SealKeys } from '../seal/seal-keys.ts';
import { Sealer } from '../seal/sealer.ts';
import type { AccountStore } from '../stores/account-store.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { ReadStore } from '../stores/read-store.ts';
import { ALL_TOOLS } from '../tools/all-tools.ts';
import { Proposals } from '../tools/proposals/proposals.ts';
import { createRecordFileCatalog, type RecordFileCatalog } from '../tools/record-file-catalog.ts';
import type { ToolService } from '../tools/tool.ts';
import { createToolBox, type ToolBox } from '../tools/toolbox.ts';
import { createReadSide } from './create-read-side.ts';
import { logOutOfOrder } from './log-out-of-order.ts';
import { StoreProblems } from './store-problems.ts';
import type { ReadsInThread } from './threads/reads-in-thread.ts';
import { readInThread } from './threads/statements-in-thread.ts';
import { type OnTiming, TimedHandler, timedTools } from './timings.ts';

export interface RegisterOptions {
  events: EventStore;
  reads: ReadStore;
  /** Read models that a thread keeps up to date; by default this one does. */
  projections?: ServedProjections;
  accounts: AccountStore;
  names: NameReader;
  clock: ServiceClock;
  /** True if no other instance can use these stores. */
  exclusive: boolean;
  cursorKey: Buffer;
  riskAcceptanceMaxDays: number;
  writeWaitMs: number;
  maxEventsVerified?: number;
  /** Runs the calls and statements that read much; by default this thread does. */
  heavyReads?: Pick<ReadsInThread, 'run' | 'runBulk' | 'runStatement'> | undefined;
  /** Called with the events of each command, once they are appended. */
  onAppended?: HandlerOptions['onAppended'];
  reportGenerated?: ToolService['reportGenerated'];
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Called with the time of each command, projection batch and query. */
  onTiming?: OnTiming | undefined;
}

/** The register without transport: command handler, projections, sealer and the tools that use them. */
export interface Register {
  handler: CommandHandler;
  clock: ServiceClock;
  /** Knows which event types all running instances can read. Started and stopped with the service. */
  instances: LiveInstances;
  projections: ServedProjections;
  problems: StoreProblems;
  sealer: Sealer;
  tools: ToolBox;
  /** Approves and declines proposals, for people. */
  proposals: Proposals;
  /** Export files of any size, with the records of the lists. */
  recordFiles: RecordFileCatalog;
  /** Reads the data of reports as files. */
  reader: Reader;
  /** Returns a reader of the same for statements that could read all of a collection, in turns of an account. */
  scanReaderOf: (owner: TaskOwner) => Reader;
  accessLogReader: AccessLogReader;
}

/** Creates the register's objects in the order in which they need each other. Starts none of them. */
export function createRegister(options: RegisterOptions): Register {
  const { events, reads, accounts, names, clock, exclusive, log, onTiming } = options;
  const { now, requireTrust, isTrusted: isClockTrusted } = clock;
  const instances = new LiveInstances({ reads, exclusive });
  const { canRead } = instances;
  const problems = new StoreProblems(log);
  const onFailure = (error: unknown) => void problems.report(error);
  const { riskAcceptanceMaxDays: maxAcceptanceDays, onAppended } = options;
  const onOutOfOrder = logOutOfOrder(log);
  const handlerOptions = { now, requireTrust, maxAcceptanceDays, canRead, onAppended, onFailure, onOutOfOrder };
  const handler = onTiming
    ? new TimedHandler(events, handlerOptions, onTiming)
    : new CommandHandler(events, handlerOptions);
  const projections = options.projections ?? new Projections({ events, reads, exclusive, now, log, onTiming });
  const { reader, accessLogReader } = createReadSide(
    { ...options, now },
    projections.servedGeneration.bind(projections),
  );
  const { heavyReads } = options;
  const scanReaderOf: Register['scanReaderOf'] = (owner) =>
    heavyReads ? readInThread(reader, (statement) => heavyReads.runStatement(owner, statement)) : reader;
  const service: ToolService = {
    handler,
    names,
    reader,
    importedNames: new ImportedNames(accounts),
    waitUntilProjected: (...wait) => projections.waitUntilProjected(...wait),
    writeWaitMs: options.writeWaitMs,
    reportGenerated: options.reportGenerated ?? (() => undefined),
  };
  const reportError = (error: unknown, tool: string) => {
    // The clock logs its doubts itself. They refuse each write, so they would fill the log.
    if (error instanceof ClockInDoubt || problems.report(error)) return;
    log.warn({ err: error, tool }, 'a tool failed');
  };
  const toolBox = createToolBox(ALL_TOOLS, service, reportError, heavyReads);
  const tools = onTiming ? timedTools(toolBox, onTiming) : toolBox;
  const proposals = new Proposals(ALL_TOOLS, service, heavyReads);
  const recordFiles = createRecordFileCatalog(reader);
  const sealer = new Sealer({
    events,
    reads,
    projections,
    keys: new SealKeys(accounts, now),
    now,
    isClockTrusted,
    log,
  });
  return {
    handler,
    clock,
    instances,
    projections,
    problems,
    sealer,
    tools,
    proposals,
    recordFiles,
    reader,
    scanReaderOf,
    accessLogReader,
  };
}
