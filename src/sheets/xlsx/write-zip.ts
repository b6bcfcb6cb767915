import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A file within a zip file. */
export interface ZipPart {
  /** In ASCII. */
  name: string;
  content: AsyncIterable<string>;
}

/** The size of a part, known once it is written. */
interface PartSizes {
  crc: number;
  packed: number;
  plain: number;
}

const VERSION_NEEDED = 20;
/** The sizes follow the data, because they are unknown before. */
const SIZES_FOLLOW = 0x08;
const DEFLATE = 8;
/** 1 January 1980, the first day that the format has. */
const FIRST_DAY = 0x21;

/**
 * Yields the bytes of a zip file (PKWARE's APPNOTE, 4.3) as the parts' contents arrive, so that memory use doesn't grow with
 * them. A part, and the file, must be smaller than 4 GiB.
 */
export async function* writeZip(parts: AsyncIterable<ZipPart>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, content } of parts) {
    const sizes: PartSizes = { crc: 0, packed: 0, plain: 0 };
    const fileName = Buffer.from(name, 'ascii');
    const local = Buffer.concat([signature(0x04034b50), commonHeader(fileName), fileName]);
    yield local;
    yield* deflate(content, sizes);
    const descriptor = numbers32(0x08074b50, sizes.crc, sizes.packed, sizes.plain);
    yield descriptor;
    directory.push(directoryEntry(fileName, sizes, offset));
    offset += local.length + sizes.packed + descriptor.length;
  }
  const entries = Buffer.concat(directory);
  yield entries;
  const { length: count } = directory;
  const end = [signature(0x06054b50), numbers16(0, 0, count, count), numbers32(entries.length, offset), numbers16(0)];
  yield Buffer.concat(end);
}

async function* deflate(content: AsyncIterable<string>, sizes: PartSizes): AsyncGenerator<Buffer> {
  async function* measured() {
    for await (const text of content) {
      const bytes = Buffer.from(text);
      sizes.crc = crc32(bytes, sizes.crc);
      sizes.plain += bytes.length;
      yield bytes;
    }
  }
  // An error of the content destroys the stream, which the loop below throws.
  const packer = pipeline(measured(), createDeflateRaw(), () => undefined);
  for await (const chunk of packer) {
    sizes.packed += chunk.length;
    yield chunk;
  }
}

/** Returns the fields that both headers of a part share. In the first one the sizes are 0. */
function commonHeader(fileName: Buffer, { crc, packed, plain }: PartSizes = { crc: 0, packed: 0, plain: 0 }): Buffer {
  return Buffer.concat([
    numbers16(VERSION_NEEDED, SIZES_FOLLOW, DEFLATE, 0, FIRST_DAY),
    numbers32(crc, packed, plain),
    numbers16(fileName.length, 0),
  ]);
}

function directoryEntry(fileName: Buffer, sizes: PartSizes, offset: number): Buffer {
  return Buffer.concat([
    signature(0x02014b50),
    numbers16(VERSION_NEEDED),
    commonHeader(fileName, sizes),
    numbers16(0, 0, 0),
    numbers32(0, offset),
    fileName,
  ]);
}

const signature = (value: number): Buffer => numbers32(value);

function numbers16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}

function numbers32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}
