import { Worker } from 'node:worker_threads';
import { Refusal } from '../../commands/engine/refusal.ts';
import { displayText, type RawRow, type RawSheet } from '../../sheets/cells/cell.ts';
import type { Workbook } from '../../sheets/workbook.ts';
import type { ReadingAnswer, ReadingRequest, RowBatch } from './reading-messages.ts';

/* The program of a process that reads one file. See `ReadingProcess`, which starts and ends it, and says its limit in MiB. */

const MAX_BYTES = Number(process.argv[2]) * 1_048_576;

/** Limits of one answer with rows. Few rows, so that the progress is that of the rows which the other process has. */
const BATCH_ROWS = 100;
const BATCH_CHARACTERS = 1_048_576;

/**
 * Ends this process if it takes too much memory, or if nobody waits for it any more. It runs in a thread, because a library
 * may keep the main one busy.
 */
const WATCHDOG = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const isTooLarge = process.memoryUsage.rss() > workerData.maxBytes;
    if (isTooLarge || process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;
new Worker(WATCHDOG, { eval: true, workerData: { maxBytes: MAX_BYTES, parent: process.ppid } });

let workbook: Workbook | undefined;
let sheet: RawSheet | undefined;
/** A failure behind the rows of the last answer. */
let failure: unknown;

async function answer(request: ReadingRequest): Promise<unknown> {
  switch (request.type) {
    case 'open-workbook': {
      const { openWorkbook } = await import('../../sheets/open-workbook.ts');
      workbook = await openWorkbook(request.path, request.encoding);
      const { sheets, notice } = workbook;
      return { sheets, notice };
    }
    case 'open-sheet':
      await sheet?.rows.return();
      sheet = await workbook!.open(request.index);
      return null;
    case 'read-rows':
      return await readRows(sheet!);
    case 'read-framework': {
      const { readFrameworkFile } = await import('../../library/framework-file.ts');
      return await readFrameworkFile(request.path, request.options);
    }
  }
}

/** Reads the next rows. Those before a failure are answered first. */
async function readRows({ rows, progress }: RawSheet): Promise<RowBatch> {
  if (failure !== undefined) throw failure;
  const batch: RawRow[] = [];
  let characters = 0;
  try {
    while (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) {
      const next = await rows.next();
      if (next.done) break;
      batch.push(next.value);
      for (const cell of next.value.cells.values()) characters += displayText(cell).length;
    }
  } catch (error) {
    if (batch.length === 0) throw error;
    failure = error;
  }
  return { rows: batch, progress: progress() };
}

function failureAnswer(error: unknown): ReadingAnswer {
  if (!(error instanceof Refusal)) return { fault: error instanceof Error ? String(error.stack) : String(error) };
  const { code, message, more } = error;
  return { refusal: { code, message, more } };
}

process.on('message', (request: ReadingRequest) => {
  void answer(request)
    .then((value): ReadingAnswer => ({ value }), failureAnswer)
    .then((message) => {
      // The watchdog looks every 50 ms, so it may miss what was quick to read.
      if (process.memoryUsage.rss() > MAX_BYTES) process.kill(process.pid, 'SIGKILL');
      process.send!(message);
    });
});
process.on('disconnect', () => process.exit());
