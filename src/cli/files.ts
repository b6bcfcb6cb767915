import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CommandError, UnfitFile } from './command.ts';

const isPacked = (path: string) => path.endsWith('.gz');

/** How large a file is. @throws UnfitFile where there is none that can be read */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new UnfitFile(`${path} cannot be read: check its name and that you may read it.`);
  return found.size;
}

/**
 * A file's bytes, unpacked where its name ends in `.gz`. One that was cut ends where it was cut.
 * @param progress told how many bytes there were so far, and how much of the file has been read, 0 to 1
 * @param cut told that what is packed breaks off: in what was read, or in something begun behind it
 * @throws UnfitFile where it cannot be read or unpacked
 */
export async function* readPieces(
  path: string,
  progress: (bytes: number, share: number) => void = () => undefined,
  cut: () => void = () => undefined,
) {
  const size = Math.max(await sizeOf(path), 1);
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const gunzip = isPacked(path) ? file.pipe(createGunzip()) : null;
  const bytes = gunzip ?? file;
  if (gunzip !== null) file.once('error', (error) => gunzip.destroy(error));
  let given = 0;
  try {
    for await (const piece of bytes as AsyncIterable<Buffer>) {
      yield piece;
      given += piece.length;
      progress(given, Math.min(file.bytesRead / size, 1));
    }
    // A zero byte ends what is unpacked: others might unpack what stands behind it, and read another history.
    if (gunzip !== null && gunzip.bytesWritten < size) {
      throw new UnfitFile('Something stands behind the end of what is packed with gzip: that is no export.');
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // What came before the cut is good.
    if (code === 'Z_BUF_ERROR') return cut();
    if (code.startsWith('Z_') && given > 0) {
      throw new UnfitFile(`The file is damaged: it cannot be unpacked beyond ${given} bytes.`);
    }
    if (code.startsWith('Z_')) throw new UnfitFile('The file is not packed with gzip, as its name says.');
    if (code.startsWith('E')) throw new UnfitFile('The file cannot be read to its end.');
    throw error;
  } finally {
    file.destroy();
  }
}

/** Whether a file begins with this text. */
export async function beginsWith(path: string, text: string): Promise<boolean> {
  for await (const piece of readPieces(path)) return Buffer.from(piece).subarray(0, text.length).toString() === text;
  return false;
}

/** A key or a seal is a few hundred bytes, with the rotations of all keys a few thousand. */
const MOST_BYTES = 256 * 1024;

/** The text of a small file, or of what comes through a pipe; null where there is none that can be read, or a larger one. */
export async function smallFile(path: string): Promise<string | null> {
  const isPipe = (await stat(path).catch(() => null))?.isFIFO() === true;
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of isPipe ? createReadStream(path) : readPieces(path)) {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_BYTES) return null;
    }
  } catch (error) {
    if (error instanceof UnfitFile) return null;
    throw error;
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Lines without their ends, some at a time. */
type Lines = AsyncIterable<readonly string[]> | Iterable<readonly string[]>;

/**
 * Writes lines into a new file, packed where its name ends in `.gz`; nothing is left of it where that fails.
 * @throws CommandError where there is such a file already, or it cannot be written
 */
export async function writeLines(path: string, lines: Lines): Promise<void> {
  const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new CommandError('There is such a file already: give another name.');
    throw unwritten(error);
  });
  const file = handle.createWriteStream({ flush: true, highWaterMark: 256 * 1024 });
  try {
    if (isPacked(path)) await pipeline(textsOf(lines), createGzip(), file);
    else await pipeline(textsOf(lines), file);
  } catch (error) {
    await rm(path, { force: true });
    throw unwritten(error);
  }
}

/** The system's refusals in words; everything else as it is. */
function unwritten(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^E[A-Z]+$/.test(code)
    ? new CommandError(`The file cannot be written (${code}): see whether its folder is there and you may write to it.`)
    : error;
}

async function* textsOf(lines: Lines): AsyncGenerator<string> {
  for await (const some of lines) if (some.length > 0) yield `${some.join('\n')}\n`;
}
