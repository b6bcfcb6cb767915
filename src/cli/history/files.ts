import { createReadStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CommandError, type Output, UnsuitableFile } from '../command.ts';

const isGzip = (path: string) => path.endsWith('.gz');

/** Returns the size of a file in bytes. @throws UnsuitableFile if it can't be read */
export async function fileSize(path: string): Promise<number> {
  const fileStats = await stat(path).catch(() => null);
  if (!fileStats?.isFile()) throw new UnsuitableFile(`${path} can’t be read. Check its name and your permissions.`);
  return fileStats.size;
}

/**
 * Reads a file's bytes, unzipped if its name ends in `.gz`. A gzip file that was cut ends where it was cut.
 * @param progress receives the number of bytes so far, and the share of the file that has been read, 0 to 1
 * @param cut called for a gzip file that was cut
 * @throws UnsuitableFile if it can't be read or unzipped
 */
export async function* readPieces(
  path: string,
  progress: (bytes: number, share: number) => void = () => undefined,
  cut: () => void = () => undefined,
) {
  const size = Math.max(await fileSize(path), 1);
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const gunzip = isGzip(path) ? file.pipe(createGunzip()) : null;
  const bytes = gunzip ?? file;
  if (gunzip !== null) file.once('error', (error) => gunzip.destroy(error));
  let byteCount = 0;
  try {
    for await (const piece of bytes as AsyncIterable<Buffer>) {
      yield piece;
      byteCount += piece.length;
      progress(byteCount, Math.min(file.bytesRead / size, 1));
    }
    // Node stops at a zero byte after the gzip data. Other programs might continue and read another history.
    if (gunzip !== null && gunzip.bytesWritten < size) {
      throw new UnsuitableFile('The file has data after its gzip data, so it is not an export.');
    }
  } catch (error) {
    // The bytes before the cut are intact.
    if (errorCode(error) === 'Z_BUF_ERROR' && byteCount > 0) return cut();
    throw readingError(error, byteCount);
  } finally {
    file.destroy();
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Returns the error to throw for one that ended the reading of a file after `byteCount` bytes. */
function readingError(error: unknown, byteCount: number): unknown {
  const code = errorCode(error);
  if (code === 'Z_BUF_ERROR' || (code.startsWith('Z_') && byteCount > 0)) {
    return new UnsuitableFile(`The file is damaged. Only ${byteCount} bytes can be unzipped.`);
  }
  if (code.startsWith('Z_')) return new UnsuitableFile('The file is not a gzip file, though its name ends in .gz.');
  return code.startsWith('E') ? new UnsuitableFile('The file can’t be read to its end.') : error;
}

/** Returns true for a file that begins with this text. */
export async function beginsWith(path: string, text: string): Promise<boolean> {
  for await (const piece of readPieces(path)) return Buffer.from(piece).subarray(0, text.length).toString() === text;
  return false;
}

/** A key or a seal has a few hundred bytes, with all key rotations a few thousand. */
const MAX_SMALL_FILE_BYTES = 256 * 1024;

/** Returns the text of a small file or a pipe. Returns null if it can't be read or is too large. */
export async function smallFile(path: string, maxBytes = MAX_SMALL_FILE_BYTES): Promise<string | null> {
  const isPipe = (await stat(path).catch(() => null))?.isFIFO() === true;
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of isPipe ? createReadStream(path) : readPieces(path)) {
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) return null;
    }
  } catch (error) {
    if (error instanceof UnsuitableFile) return null;
    throw error;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Lines without line breaks, in batches. */
type Lines = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/** Writes lines to a new file or to a pipe. @throws CommandError if the file exists, or it can't be written */
export async function writeLines(target: Output['target'], lines: Lines): Promise<void> {
  if (typeof target === 'string') return writeFile(target, lines);
  await pipeline(textsOf(lines), target, { end: false }).catch((error: unknown) => {
    throw errorCode(error) === 'EPIPE' ? new CommandError('The program that reads the output has ended.') : error;
  });
}

/**
 * Writes lines to a new file, as gzip if its name ends in `.gz`. The file gets its name when it is complete, because a
 * part of a backup must not look like a backup. Removes the part if writing fails, and parts that killed processes left.
 * @throws CommandError if the file already exists, or can't be written
 */
async function writeFile(path: string, lines: Lines): Promise<void> {
  if ((await stat(path).catch(() => null)) !== null) throw existsError(path);
  await removeStaleParts(path);
  const part = `${path}.${process.pid}.part`;
  try {
    const handle = await open(part, 'wx', 0o600);
    const file = handle.createWriteStream({ flush: true, highWaterMark: 256 * 1024 });
    if (isGzip(path)) await pipeline(textsOf(lines), createGzip(), file);
    else await pipeline(textsOf(lines), file);
    // An empty file first, because a rename alone would replace a file that another process made meanwhile.
    await (await open(path, 'wx', 0o600)).close();
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw errorCode(error) === 'EEXIST' ? existsError(path) : writeError(error);
  }
}

/** Removes the parts of this file that killed processes left. Keeps those of processes that still write. */
async function removeStaleParts(path: string): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = name.startsWith(start) ? /^(\d{1,10})\.part$/.exec(name.slice(start.length))?.[1] : undefined;
    if (pid !== undefined && !isOtherProcess(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Returns true if a process other than this one has this id. In containers, a new process often has the id of an earlier one. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs, but belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}

function existsError(path: string): CommandError {
  return new CommandError(`${basename(path)} already exists. Choose another name.`);
}

/** Turns an error of the file system into a message. Returns any other error as it is. */
function writeError(error: unknown): unknown {
  const code = errorCode(error);
  if (code === 'ENOSPC')
    return new CommandError('The disk is full. Free some space, or write the file to another one.');
  return /^E[A-Z]+$/.test(code)
    ? new CommandError(
        `The file can’t be written (${code}). Check that its folder exists and that you may write to it.`,
      )
    : error;
}

async function* textsOf(lines: Lines): AsyncGenerator<string> {
  for await (const batch of lines) if (batch.length > 0) yield `${batch.join('\n')}\n`;
}
