import { crc32, deflateRawSync } from 'node:zlib';

/** A zip file of these parts, deflated (PKWARE's APPNOTE, 4.3). Its numbers are little-endian, as those of this machine. */
export function zipOf(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const common = commonHeader(name, plain, packed);
    const local = Buffer.concat([signature(0x04034b50), common, Buffer.from(name), packed]);
    directory.push(
      signature(0x02014b50),
      numbers16(20),
      common,
      numbers16(0, 0, 0),
      numbers32(0, offset),
      Buffer.from(name),
    );
    pieces.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = Object.keys(parts).length;
  const end = Buffer.concat([
    signature(0x06054b50),
    numbers16(0, 0, count, count),
    numbers32(central.length, offset),
    numbers16(0),
  ]);
  return Buffer.concat([...pieces, central, end]);
}

/** Fields that local and central headers share: from the version needed to the length of the extra field. */
function commonHeader(name: string, plain: Buffer, packed: Buffer): Buffer {
  const UTF8 = 0x800;
  const DEFLATE = 8;
  const FIRST_DAY = 0x21;
  return Buffer.concat([
    numbers16(20, UTF8, DEFLATE, 0, FIRST_DAY),
    numbers32(crc32(plain), packed.length, plain.length),
    numbers16(Buffer.byteLength(name), 0),
  ]);
}

const signature = (value: number) => numbers32(value);

function numbers16(...values: number[]): Buffer {
  return Buffer.from(Uint16Array.from(values).buffer);
}

function numbers32(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}
