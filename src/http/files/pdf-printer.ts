import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FairQueue, type TaskOwner } from '../../identity/fair-queue.ts';
import { HttpError } from '../http-errors.ts';
import type { SpooledFile, SpooledFiles } from './spooled-files.ts';

/** The longest time that printing one page may take. */
const PRINT_TIMEOUT_MS = 60_000;
/** Requests of one account that may wait for the printer. More get 429. */
const MAX_WAITING_PRINTS = 2;

export interface PdfPrinter {
  /**
   * Prints an HTML page as PDF. Accounts take turns.
   * @param readHtml reads the page when its turn comes
   * @param signal skips the job if it is aborted before its turn
   * @throws HttpError 501 without a browser, 413 for a page that takes too long
   * @throws Refusal rate_limited if too many requests of the account wait, or too many of its files are open
   * @throws the signal's reason if it is aborted before its turn
   */
  print(owner: TaskOwner, readHtml: () => Promise<string>, signal: AbortSignal): Promise<SpooledFile>;
  /** Returns true if there is a browser. Without one, PDF is not offered. */
  isAvailable(): boolean;
  /** Checks for a browser before a report is generated. @throws HttpError 501 without one */
  requireBrowser(): void;
}

/** Prints with the machine's Chromium, one page at a time: a browser needs more memory than the whole service. */
export function createPdfPrinter(chromium: string, spool: SpooledFiles): PdfPrinter {
  const turns = new FairQueue({ total: 1, perAccount: 1, waitingPerAccount: MAX_WAITING_PRINTS });
  const isAvailable = () => existsSync(chromium);
  const requireBrowser = () => {
    if (!isAvailable()) throw noBrowser();
  };
  const print: PdfPrinter['print'] = async (owner, readHtml, signal) => {
    requireBrowser();
    const printPage = async () => {
      spool.requireRoom(owner);
      return printOne(chromium, await readHtml(), (pdf) => spool.take(owner, pdf));
    };
    return turns.run(owner, printPage, { signal });
  };
  return { print, isAvailable, requireBrowser };
}

async function printOne(
  chromium: string,
  html: string,
  take: (pdf: string) => Promise<SpooledFile>,
): Promise<SpooledFile> {
  const folder = await mkdtemp(join(tmpdir(), 'veritrail-pdf-'));
  try {
    const page = join(folder, 'report.html');
    const pdf = join(folder, 'report.pdf');
    await writeFile(page, html, { mode: 0o600 });
    await runToEnd(chromium, [...chromiumFlags(folder), `--print-to-pdf=${pdf}`, pathToFileURL(page).href], folder);
    return await take(pdf);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function chromiumFlags(folder: string): string[] {
  return [
    '--headless',
    '--no-pdf-header-footer',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-extensions',
    '--disable-background-networking',
    '--no-first-run',
    // The page loads nothing and its policy blocks scripts. This also cuts off the network.
    '--host-resolver-rules=MAP * ~NOTFOUND',
    `--user-data-dir=${join(folder, 'profile')}`,
    // Chromium refuses to start in its own sandbox as root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}

/** Runs a command in its own process group and kills the whole group at the end. It gets none of our settings. */
function runToEnd(command: string, args: readonly string[], folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' };
    const child = spawn(command, args, { cwd: folder, env, stdio: 'ignore', detached: true });
    const killGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killGroup();
    }, PRINT_TIMEOUT_MS);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      killGroup();
      if (code === 0) resolve();
      else if (isLate) reject(tooLong());
      else reject(new Error(`Chromium ended with ${code ?? signal}`));
    });
  });
}

const noBrowser = () =>
  new HttpError(
    501,
    'invalid_input',
    'PDF needs Chromium, which is not installed here. Use format=html and print it, or set CHROMIUM_PATH.',
    {},
    { field: 'format', allowed: ['json', 'markdown', 'csv', 'xlsx', 'html'] },
  );

const tooLong = () =>
  new HttpError(
    413,
    'too_large',
    'The PDF is too large to be printed within 60 s. Narrow the report, or use format=html.',
    {},
    { field: 'format' },
  );
