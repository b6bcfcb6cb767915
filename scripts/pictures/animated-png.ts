import { crc32 } from 'node:zlib';

const SIGNATURE_BYTES = 8;

/** A part of a PNG file: its type, such as IDAT, and its data. */
interface Chunk {
  type: string;
  data: Buffer;
}

/**
 * Joins pictures of one size to an animated one that repeats for ever (APNG, in PNG's third edition).
 * @param pictures PNG files with equal headers
 * @param pauseMs how long each picture stays
 * @throws Error if the headers differ
 */
export function joinPictures(pictures: readonly Buffer[], pauseMs: number): Buffer {
  const parts = pictures.map(chunksOf);
  const [header] = parts[0]!;
  let sequence = 0;
  const frames = parts.flatMap((chunks, index) => {
    if (!chunks[0]!.data.equals(header!.data)) throw new Error(`picture ${index} has another size or colour type`);
    const control = { type: 'fcTL', data: frameControl(sequence++, header!.data, pauseMs) };
    const pixels = chunks
      .filter(({ type }) => type === 'IDAT')
      .map(({ data }) =>
        index === 0 ? { type: 'IDAT', data } : { type: 'fdAT', data: Buffer.concat([uint32(sequence++), data]) },
      );
    return [control, ...pixels];
  });
  const animation = { type: 'acTL', data: Buffer.concat([uint32(pictures.length), uint32(0)]) };
  const end = { type: 'IEND', data: Buffer.alloc(0) };
  const chunks = [header!, animation, ...frames, end];
  return Buffer.concat([pictures[0]!.subarray(0, SIGNATURE_BYTES), ...chunks.map(chunkBytes)]);
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let start = SIGNATURE_BYTES; start < png.length; ) {
    const length = png.readUInt32BE(start);
    const type = png.toString('latin1', start + 4, start + 8);
    chunks.push({ type, data: png.subarray(start + 8, start + 8 + length) });
    start += length + 12;
  }
  return chunks;
}

/** Returns a frame of the whole picture, which the next one replaces. */
function frameControl(sequence: number, header: Buffer, pauseMs: number): Buffer {
  const offset = Buffer.alloc(8);
  const delay = Buffer.alloc(4);
  delay.writeUInt16BE(pauseMs, 0);
  delay.writeUInt16BE(1000, 2);
  const disposeAndBlend = Buffer.alloc(2);
  return Buffer.concat([uint32(sequence), header.subarray(0, 8), offset, delay, disposeAndBlend]);
}

function chunkBytes({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
