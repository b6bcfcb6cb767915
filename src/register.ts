import { CommandHandler } from './commands/handler.ts';
import { allTools } from './mcp/all-tools.ts';
import type { ToolService } from './mcp/define-tool.ts';
import { createRecordFileCatalog, type RecordFileCatalog } from './mcp/record-file-catalog.ts';
import { createToolBox, type ToolBox } from './mcp/toolbox.ts';
import { LiveInstances } from './projections/instances.ts';
import { Projections } from './projections/projections.ts';
import type { Reader } from './queries/reader.ts';
import { SealKeys } from './seal/seal-keys.ts';
import { Sealer } from './seal/sealer.ts';
import type { AccountStore } from './stores/account-store.ts';
import type { EventStore } from './stores/event-store.ts';
import type { ReadStore } from './stores/read-store.ts';
import { type OnTiming, TimedHandler, timedTools } from './timings.ts';

export interface RegisterOptions {
  events: EventStore;
  reads: ReadStore;
  accounts: AccountStore;
  /** No other server can be alive on these stores. */
  exclusive: boolean;
  cursorKey: Buffer;
  riskAcceptanceMaxDays: number;
  writeWaitMs: number;
  maxEventsVerified?: number;
  /** Told of every report that is drawn, where there is an access log. */
  reportGenerated?: ToolService['reportGenerated'];
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Is told of each command, projection batch and query, where somebody wants to know. */
  timed?: OnTiming | undefined;
}

/** The register without its transport: commands in, read models kept up, tools that do both. */
export interface Register {
  handler: CommandHandler;
  /** Which events all running instances can read: started and stopped with the service. */
  instances: LiveInstances;
  projections: Projections;
  sealer: Sealer;
  tools: ToolBox;
  /** What the lists read, as files of any size. */
  recordFiles: RecordFileCatalog;
  /** What reports as files are read from. */
  reader: Reader;
}

export function createRegister(options: RegisterOptions): Register {
  const { events, accounts, cursorKey, log, timed } = options;
  const now = () => new Date();
  const instances = new LiveInstances(options);
  const { canRead } = instances;
  const handlerOptions = { now, maxAcceptanceDays: options.riskAcceptanceMaxDays, canRead };
  const handler = timed ? new TimedHandler(events, handlerOptions, timed) : new CommandHandler(events, handlerOptions);
  const projections = new Projections(options);
  const reader: Reader = {
    get models() {
      return projections.models;
    },
    get progress() {
      return projections.runner;
    },
    events,
    accounts,
    cursorKey,
    now,
    maxEventsVerified: options.maxEventsVerified,
  };
  const all = allTools({
    handler,
    reader,
    waitUntilProjected: (organizationId, storePosition, ms) => projections.passed(organizationId, storePosition, ms),
    writeWaitMs: options.writeWaitMs,
    reportGenerated: options.reportGenerated ?? (() => undefined),
  });
  const untimed = createToolBox(all, (error, tool) => log.warn({ err: error, tool }, 'a tool failed'));
  const tools = timed ? timedTools(untimed, timed) : untimed;
  const recordFiles = createRecordFileCatalog(reader, all);
  const sealer = new Sealer({ events, projections, keys: new SealKeys(accounts, now), now, log });
  return { handler, instances, projections, sealer, tools, recordFiles, reader };
}
