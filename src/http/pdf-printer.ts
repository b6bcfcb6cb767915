import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HttpError } from './http-errors.ts';

/** How long a page may take to be printed. */
const PRINT_TIMEOUT_MS = 60_000;
/** So many wait for their turn at most; others are told to come back. */
const MAX_WAITING_PRINTS = 8;

export interface PdfPrinter {
  /**
   * An HTML page as PDF, as a browser prints it.
   * @param stay asked when its turn has come: what it throws lets the next one have it
   * @throws HttpError 501 where there is no browser, 503 where too many wait
   */
  print(html: string, stay: () => void): Promise<Buffer>;
  /** Tells whether there is a browser: without one PDF is not offered. */
  isAvailable(): boolean;
  /** @throws HttpError 501 where there is no browser: asked before anything is drawn */
  requireBrowser(): void;
}

/** Prints by a Chromium of the machine's, one page at a time: a browser takes more memory than all the rest. */
export function createPdfPrinter(chromium: string): PdfPrinter {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const isAvailable = () => existsSync(chromium);
  const require = () => {
    if (!isAvailable()) throw noBrowser();
  };
  const print = async (html: string, stay: () => void): Promise<Buffer> => {
    require();
    if (waiting >= MAX_WAITING_PRINTS) throw tooManyWaiting();
    waiting += 1;
    const turn = last.then(() => {
      stay();
      return printOne(chromium, html);
    });
    last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      waiting -= 1;
    }
  };
  return { print, isAvailable, requireBrowser: require };
}

async function printOne(chromium: string, html: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'veritrail-pdf-'));
  try {
    const page = join(folder, 'report.html');
    const pdf = join(folder, 'report.pdf');
    await writeFile(page, html, { mode: 0o600 });
    await runToEnd(chromium, [...flags(folder), `--print-to-pdf=${pdf}`, pathToFileURL(page).href], folder);
    return await readFile(pdf);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function flags(folder: string): string[] {
  return [
    '--headless',
    '--no-pdf-header-footer',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-extensions',
    '--disable-background-networking',
    '--no-first-run',
    // The page asks for nothing, and its policy lets nothing run; should it ask, there is no network.
    '--host-resolver-rules=MAP * ~NOTFOUND',
    `--user-data-dir=${join(folder, 'profile')}`,
    // The superuser's Chromium refuses to start within its own sandbox.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}

/** Runs it to its end, in a group of processes of its own that is ended as a whole. It is told none of our settings. */
function runToEnd(command: string, args: readonly string[], folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' };
    const child = spawn(command, args, { cwd: folder, env, stdio: 'ignore', detached: true });
    const killGroup = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(killGroup, PRINT_TIMEOUT_MS);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      killGroup();
      if (code === 0) resolve();
      else reject(new Error(`Chromium ended with ${code ?? signal}`));
    });
  });
}

const noBrowser = () =>
  new HttpError(
    501,
    'invalid_input',
    'There is no Chromium here to make a PDF: ask for format=html and print it, or have CHROMIUM_PATH name one.',
    {},
    { field: 'format', allowed: ['json', 'markdown', 'csv', 'html'] },
  );

const tooManyWaiting = () =>
  new HttpError(
    503,
    'unavailable',
    'Too many PDFs are being made: ask again in a moment.',
    { 'Retry-After': '10' },
    {
      retry_after_seconds: 10,
    },
  );
