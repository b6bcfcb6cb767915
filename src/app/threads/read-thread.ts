import { writeFile } from 'node:fs/promises';
import { followTime } from '../../clock/service-clock.ts';
import { CommandHandler } from '../../commands/engine/handler.ts';
import { asRefusal, OperatorNeeded, Refusal } from '../../commands/engine/refusal.ts';
import { RecordFileReader } from '../../http/files/record-files.ts';
import { ReportFileGenerator } from '../../http/files/report-files.ts';
import { AccountNames } from '../../identity/accounts/account-names.ts';
import { ImportedNames } from '../../identity/imported-names.ts';
import { DiskFull } from '../../stores/errors.ts';
import { openStores } from '../../stores/open.ts';
import { ALL_TOOLS } from '../../tools/all-tools.ts';
import { createRecordFileCatalog } from '../../tools/record-file-catalog.ts';
import type { ToolService } from '../../tools/tool.ts';
import { createToolBox } from '../../tools/toolbox.ts';
import { createReadSide } from '../create-read-side.ts';
import { StoreProblems } from '../store-problems.ts';
import { FileContents } from './file-contents.ts';
import { GenerationFollower } from './generation-follower.ts';
import type { ReadMessages, ReadRequest, ReadThreadSettings, SentRefusal } from './read-messages.ts';
import { serveThread } from './serve-thread.ts';
import { runStatement } from './statements-in-thread.ts';
import { WaitsInMain } from './waits-in-main.ts';

/** The program of the thread that runs heavy reads. It has connections of its own to the stores. */
await serveThread<ReadMessages, ReadThreadSettings>(async (settings, main) => {
  const stores = await openStores(settings.stores);
  const { events, accounts } = stores;
  const names = new AccountNames(accounts);
  const waits = new WaitsInMain(main.notify);
  const now = followTime(settings.time);
  const generations = new GenerationFollower(stores.reads, waits.wait, now);
  const cursorKey = Buffer.from(settings.cursorKey);
  const { reader } = createReadSide({ events, accounts, names, cursorKey, now }, generations.servedGeneration);
  const reportGenerated: ToolService['reportGenerated'] = (caller, report) =>
    main.notify({ type: 'report generated', caller, report });
  const service: ToolService = {
    reader,
    names,
    // No write comes to this thread.
    handler: new CommandHandler(events, { now, maxAcceptanceDays: 0, canRead: () => false }),
    importedNames: new ImportedNames(accounts),
    waitUntilProjected: async () => false,
    writeWaitMs: 0,
    reportGenerated,
  };
  const problems = new StoreProblems(main.log);
  const tools = createToolBox(ALL_TOOLS, service, (error, tool) => {
    if (!problems.report(error)) main.log.warn({ err: error, tool }, 'a tool failed');
  });
  const reports = new ReportFileGenerator(reader, reportGenerated, settings.version);
  const records = new RecordFileReader(createRecordFileCatalog(reader));
  const contents = new FileContents();

  async function read(request: ReadRequest, signal: AbortSignal): Promise<ReadMessages['answer']> {
    const { id } = request;
    switch (request.type) {
      case 'call': {
        const progress = (done: number, total?: number, message?: string) =>
          main.notify({ type: 'progress', id, done, total, message });
        return tools.run(request.call, { signal, progress: request.reportsProgress ? progress : undefined });
      }
      case 'reportFile': {
        const { etag, file } = await reports.generate(request.call, signal);
        if (file === null) return { etag, file };
        const { chunks, ...head } = file;
        await writeSpooled(request.path, chunks);
        return { etag, file: head };
      }
      case 'recordFile': {
        const { chunks, ...file } = await records.open(request.call);
        if (chunks !== null) contents.open(id, chunks);
        return file;
      }
      case 'statement':
        return { rows: await runStatement(generations.servedGeneration().models, request.statement) };
    }
  }

  return {
    async answer(request, signal) {
      if (request.type === 'chunk') return contents.next(request.id);
      try {
        await generations.follow(request.generation, request.state);
        names.clearCaches();
        return await read(request, signal);
      } catch (error) {
        problems.report(error);
        return toSentRefusal(error);
      }
    },
    receive(notice) {
      if (notice.type === 'close') contents.close(notice.id);
      else waits.end(notice.id, notice.state);
    },
    stop: () => stores.close(),
  };
});

/** Writes a file that only the service can read. @throws DiskFull */
async function writeSpooled(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    throw new DiskFull('The disk for report files is full. Free some space there.', false, { cause: error });
  }
}

/** Returns a refusal as data. @throws any other error */
function toSentRefusal(thrown: unknown): SentRefusal {
  const error = asRefusal(thrown);
  if (!(error instanceof Refusal)) throw error;
  const { code, message, more, answer, retryable } = error;
  const canRepeat = error instanceof OperatorNeeded ? retryable : null;
  return { refusal: { code, message, more, answer, canRepeat } };
}
