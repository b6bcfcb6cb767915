import { crc32, inflateRawSync } from 'node:zlib';
import { Refusal } from '../../commands/engine/refusal.ts';
import { damagedFile, fileRefusal } from '../cells/cell.ts';

/** Limits the directory. Spreadsheet programs write far fewer parts. */
const MAX_PARTS = 10_000;
/** Limits the unzipped bytes of all parts together, because a small file can have many huge parts, or one under many names. */
const MAX_UNZIPPED_BYTES = 256 * 1_048_576;
/** Limits the unzipped bytes of a large part for each of its packed bytes. Long sheets have less than 50. */
const MAX_RATIO = 200;
const LARGE_PART_BYTES = 8 * 1_048_576;

const END_OF_DIRECTORY = Buffer.from('PK\x05\x06', 'latin1');
const ENTRY_SIGNATURE = 0x02014b50;
const DEFLATED = 8;
/** Stands for a size that an extra field states (ZIP64). Some programs write it for small files too. */
const SIZE_IN_EXTRA = 0xffffffff;
const ZIP64_FIELD = 1;

/** A part of a zip file, as the directory states it. */
interface ZipEntry {
  name: string;
  method: number;
  checksum: number;
  packed: number;
  plain: number;
  offset: number;
}

/**
 * Unzips the parts of a file (PKWARE's APPNOTE, 4.3), by name. First it adds up the sizes that the directory states. It
 * compares each part with its size and checksum, because a damaged cell could be read as another value.
 * @throws Refusal for a file that is damaged, or that unzips to too much
 */
export function unzip(file: Buffer): ReadonlyMap<string, Buffer> {
  try {
    const entries = entriesOf(file);
    checkSizes(entries);
    return new Map(entries.map((entry) => [entry.name, contentOf(file, entry)]));
  } catch (error) {
    // Reading behind the end and unpacking damaged bytes throw errors of Node.js.
    throw error instanceof Refusal ? error : damagedFile();
  }
}

function entriesOf(file: Buffer): ZipEntry[] {
  const end = file.lastIndexOf(END_OF_DIRECTORY);
  const count = file.readUInt16LE(end + 10);
  if (end === -1 || count > MAX_PARTS) throw damagedFile();
  let at = file.readUInt32LE(end + 16);
  return Array.from({ length: count }, () => {
    if (file.readUInt32LE(at) !== ENTRY_SIGNATURE) throw damagedFile();
    const nameEnd = at + 46 + file.readUInt16LE(at + 28);
    const extraEnd = nameEnd + file.readUInt16LE(at + 30);
    const next = extraEnd + file.readUInt16LE(at + 32);
    const entry = {
      name: file.toString('utf8', at + 46, nameEnd),
      method: file.readUInt16LE(at + 10),
      checksum: file.readUInt32LE(at + 16),
      packed: file.readUInt32LE(at + 20),
      plain: file.readUInt32LE(at + 24),
      offset: file.readUInt32LE(at + 42),
    };
    at = next;
    return entry.plain === SIZE_IN_EXTRA ? { ...entry, ...zip64Sizes(file.subarray(nameEnd, extraEnd)) } : entry;
  });
}

function zip64Sizes(extra: Buffer): Pick<ZipEntry, 'plain' | 'packed'> {
  for (let at = 0; at < extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== ZIP64_FIELD) continue;
    return { plain: Number(extra.readBigUInt64LE(at + 4)), packed: Number(extra.readBigUInt64LE(at + 12)) };
  }
  throw damagedFile();
}

function checkSizes(entries: readonly ZipEntry[]): void {
  const plain = entries.reduce((sum, entry) => sum + entry.plain, 0);
  if (plain > MAX_UNZIPPED_BYTES) throw tooLarge(`has more than ${MAX_UNZIPPED_BYTES / 1_048_576} MiB unzipped`);
  if (entries.some((entry) => entry.plain > Math.max(LARGE_PART_BYTES, entry.packed * MAX_RATIO))) {
    throw tooLarge(`has a part that is ${MAX_RATIO} times as large unzipped`);
  }
}

const tooLarge = (problem: string) => fileRefusal(`The workbook ${problem}. Save the sheet as CSV.`);

function contentOf(file: Buffer, { method, checksum, packed, plain, offset }: ZipEntry): Buffer {
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28);
  const bytes = file.subarray(start, start + packed);
  if (plain === 0) return Buffer.alloc(0);
  // Another method than these two fails at the checksum.
  const content = method === DEFLATED ? inflateRawSync(bytes, { maxOutputLength: plain }) : bytes;
  if (content.length !== plain || crc32(content) !== checksum) throw damagedFile();
  return content;
}
