import { type ChildProcess, fork } from 'node:child_process';
import { monotonicMs } from '../../clock/monotonic.ts';
import { withTimeout } from '../../clock/with-timeout.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { FrameworkFileOptions } from '../../library/framework-file.ts';
import type { FrameworkReading } from '../../library/framework-reading.ts';
import type { RawSheet } from '../../sheets/cells/cell.ts';
import type { OpenWorkbook } from '../../sheets/workbook.ts';
import type { ReadingAnswer, ReadingRequest, RowBatch, WorkbookSheets } from './reading-messages.ts';

/*
 * Files that people choose are read in a process of their own, because libraries parse them and a file can be built to
 * exhaust a library. A process has limits that a thread has not: of its whole memory, and of what it can take down.
 */

/** The script of a reading process. It loads compiled code, or sources. */
const ENTRY = new URL('../../../bin/reading-process.js', import.meta.url);

export interface ReadingLimits {
  /** The time that all answers about the file may take together. */
  ms: number;
  /** All memory of the process: Node's own 60 MiB, the heap, and buffers outside of it. */
  mebibytes: number;
}

/** A workbook of 300,000 rows takes 750 MiB and about 10 s on a small machine. A catalog of 64 MiB takes less than 800 MiB. */
const LIMITS: ReadingLimits = { ms: 120_000, mebibytes: 1_024 };
/** The heap's share. V8 then collects garbage before the process is ended. */
const HEAP_SHARE = 0.75;

/** Opens a spreadsheet as `openWorkbook` does. @throws Refusal also if it takes too much time or memory */
export const openWorkbookInProcess: OpenWorkbook = async (path, encoding) => {
  const reading = new ReadingProcess();
  const { sheets, notice } = await reading.ask<WorkbookSheets>({ type: 'open-workbook', path, encoding });
  return {
    sheets,
    ...(notice === undefined ? {} : { notice }),
    open: async (index) => {
      await reading.ask({ type: 'open-sheet', index });
      return sheetOf(reading);
    },
    close: () => reading.end(),
  };
};

/** Reads a framework as `readFrameworkFile` does. @throws Refusal also if it takes too much time or memory */
export async function readFrameworkInProcess(path: string, options: FrameworkFileOptions): Promise<FrameworkReading> {
  const reading = new ReadingProcess();
  try {
    return await reading.ask<FrameworkReading>({ type: 'read-framework', path, options });
  } finally {
    reading.end();
  }
}

function sheetOf(reading: ReadingProcess): RawSheet {
  let progress = 0;
  async function* readRows(): RawSheet['rows'] {
    for (;;) {
      const batch = await reading.ask<RowBatch>({ type: 'read-rows' });
      progress = batch.progress;
      if (batch.rows.length === 0) return;
      yield* batch.rows;
    }
  }
  return { rows: readRows(), progress: () => progress, close: () => reading.end() };
}

/** A process that reads one file. It ends at the first failure. */
export class ReadingProcess {
  private readonly child: ChildProcess;
  private endedBy: Error | null = null;
  /** Rejects the answer that is waited for. A promise of the end would keep all answers: each race adds a reaction to it. */
  private rejectAnswer: (error: Error) => void = () => undefined;
  private remainingMs: number;

  constructor(private readonly limits: ReadingLimits = LIMITS) {
    const { ms, mebibytes } = limits;
    this.remainingMs = ms;
    this.child = fork(ENTRY, [String(mebibytes)], {
      serialization: 'advanced',
      // Without the options of this process: the script loads what TypeScript needs.
      execArgv: [`--max-old-space-size=${Math.floor(mebibytes * HEAP_SHARE)}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const onEnd = (error: Error) => {
      this.endedBy ??= error;
      this.rejectAnswer(this.endedBy);
    };
    this.child.once('error', onEnd);
    this.child.once('exit', (code, signal) => onEnd(this.endOf(code, signal)));
  }

  /** Sends a request and waits for its answer. @throws Refusal as the reader does, and for too much time or memory */
  async ask<Value>(request: ReadingRequest): Promise<Value> {
    const startedAt = monotonicMs();
    try {
      const answer = await withTimeout(this.remainingMs, this.answerOf(request), () => {
        throw this.limitReached(`${this.limits.ms / 1000} s`);
      });
      if ('value' in answer) return answer.value as Value;
      if ('fault' in answer) throw new Error(`the file could not be read: ${answer.fault}`);
      const { code, message, more } = answer.refusal;
      throw new Refusal(code, message, more);
    } catch (error) {
      this.end();
      throw error;
    } finally {
      this.remainingMs -= monotonicMs() - startedAt;
    }
  }

  /** Ends the process. May be called more than once. */
  end(): void {
    this.child.kill('SIGKILL');
  }

  private answerOf(request: ReadingRequest): Promise<ReadingAnswer> {
    return new Promise((resolve, reject) => {
      if (this.endedBy !== null) reject(this.endedBy);
      this.rejectAnswer = reject;
      this.child.once('message', (answer) => resolve(answer as ReadingAnswer));
      // An error here means that the process has ended, which its exit says.
      this.child.send(request, () => undefined);
    });
  }

  /** Returns the error for a process that ended. V8 and the watchdog end one that needs too much memory by these signals. */
  private endOf(code: number | null, signal: NodeJS.Signals | null): Error {
    if (signal === 'SIGKILL' || signal === 'SIGABRT')
      return this.limitReached(`${this.limits.mebibytes} MiB of memory`);
    return new Error(`the reading process ended with ${code ?? signal}`);
  }

  private limitReached(limit: string): Refusal {
    const message = `The file takes more than ${limit} to read. Split it, save a sheet as CSV, or choose another file.`;
    return new Refusal('too_large', message, { field: 'file' });
  }
}
