import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { TaskOwner } from '../../identity/fair-queue.ts';

const MAX_FILES_PER_ACCOUNT = 20;
/** The size of all open files after which no further one is opened. Temporary files may lie in memory. */
const MAX_BYTES = 1 << 30;
const MAX_TEMPORARY_BYTES = 1 << 27;
/** A file is closed after this long, however slowly its client reads. */
const MAX_OPEN_MS = 3_600_000;
const CHUNK_BYTES = 65_536;
const RETRY_AFTER_SECONDS = 10;

const SPOOL_FOLDER = 'spool';

/** A file that is sent as fast as its client reads. */
export interface SpooledFile {
  /** In bytes. */
  size: number;
  /** The content. A reader that stops before its end must call `return`. */
  chunks: AsyncIterableIterator<Uint8Array>;
}

/**
 * Finished files that wait on the disk while their clients read, so that slow clients cost no memory. A file loses its name
 * as soon as it is open here. The system frees its space when it is closed, also after a crash.
 */
export class SpooledFiles {
  private readonly files = new Map<string, number>();
  private openBytes = 0;
  private lastName = 0;

  /** @param folder must not be used by another process */
  constructor(
    private readonly folder: string,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** The size of the open files. */
  get bytes(): number {
    return this.openBytes;
  }

  /** Returns a path for a file that is written next. Its writer must let nobody else read it. */
  newPath(): string {
    this.lastName += 1;
    return join(this.folder, `${this.lastName}`);
  }

  /** @throws Refusal rate_limited if an account has as many files open as it may, or all accounts together have */
  requireRoom({ account_id }: TaskOwner): void {
    const isFull = this.openBytes >= this.maxBytes;
    if (!isFull && (this.files.get(account_id) ?? 0) < MAX_FILES_PER_ACCOUNT) return;
    const message = isFull
      ? 'Too many report files are being downloaded. Try again in some seconds.'
      : `Your account is downloading ${MAX_FILES_PER_ACCOUNT} report files. Read them to their end before you ask for more.`;
    throw new Refusal('rate_limited', message, { retry_after_seconds: RETRY_AFTER_SECONDS });
  }

  /** Opens a written file and removes its name. */
  async take({ account_id }: TaskOwner, path: string): Promise<SpooledFile> {
    const file = await open(path, 'r');
    await rm(path);
    const { size } = await file.stat();
    this.count(account_id, 1, size);
    return { size, chunks: new SpooledContent(file, () => this.count(account_id, -1, -size)) };
  }

  private count(account: string, files: 1 | -1, bytes: number): void {
    const now = (this.files.get(account) ?? 0) + files;
    if (now === 0) this.files.delete(account);
    else this.files.set(account, now);
    this.openBytes += bytes;
  }

  /** Removes a file that is not needed, if it was written. */
  discard(path: string): Promise<void> {
    return rm(path, { force: true });
  }
}

/** Reads an open file, and closes it at its end, when nobody reads further, and after an hour. */
class SpooledContent implements AsyncIterableIterator<Uint8Array> {
  private isClosed = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly file: FileHandle,
    private readonly onClose: () => void,
  ) {
    this.timer = setTimeout(() => void this.close(), MAX_OPEN_MS).unref();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { bytesRead, buffer } = await this.file.read(Buffer.allocUnsafe(CHUNK_BYTES));
    if (bytesRead > 0) return { done: false, value: buffer.subarray(0, bytesRead) };
    return this.return();
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  private async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.timer);
    this.onClose();
    await this.file.close();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Opens the spool: in the data folder, where a crash may have left files, or without one in a folder for temporary files. */
export function openSpool(dataDir: string | null): { files: SpooledFiles; close: () => void } {
  const folder = dataDir === null ? mkdtempSync(join(tmpdir(), 'veritrail-')) : join(dataDir, SPOOL_FOLDER);
  const clear = () => rmSync(folder, { recursive: true, force: true });
  clear();
  mkdirSync(folder, { mode: 0o700 });
  return { files: new SpooledFiles(folder, dataDir === null ? MAX_TEMPORARY_BYTES : MAX_BYTES), close: clear };
}
