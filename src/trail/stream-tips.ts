import { hash as digestOf } from 'node:crypto';
import { randomHex } from './random.ts';

/** The end of a stream: revision and hash (32 bytes) of its last event so far. */
export interface Tip {
  revision: number;
  hash: Buffer;
}

const NAME_BYTES = 16;
const REVISION_BYTES = 4;
const SLOT_BYTES = NAME_BYTES + REVISION_BYTES + 32;
const MAX_LOAD = 0.75;
/** A table that is fuller than MAX_LOAD grows by this factor. It takes 70 to 104 bytes a stream. */
const GROWTH_FACTOR = 1.5;

/**
 * The ends of many streams in about 100 bytes each: a hash table with open addressing in one buffer. A stream's key is
 * the first 16 bytes of SHA-256(random salt + name), so that nobody can prepare two names with the same key.
 */
export class StreamTips {
  private readonly salt = randomHex(16);
  private slots = 1024;
  private table = Buffer.alloc(this.slots * SLOT_BYTES);
  private used = 0;

  /** The number of streams. */
  get size(): number {
    return this.used;
  }

  get(stream: string): Tip | null {
    const at = this.find(this.table, this.slots, this.nameOf(stream));
    // The table holds revision + 1, so that 0 means an empty slot.
    const revision = this.table.readUInt32LE(at + NAME_BYTES);
    return revision === 0
      ? null
      : { revision: revision - 1, hash: this.table.subarray(at + NAME_BYTES + REVISION_BYTES, at + SLOT_BYTES) };
  }

  set(stream: string, revision: number, hash: Buffer): void {
    if (this.used + 1 > this.slots * MAX_LOAD) this.grow();
    const name = this.nameOf(stream);
    const at = this.find(this.table, this.slots, name);
    if (this.table.readUInt32LE(at + NAME_BYTES) === 0) this.used += 1;
    this.table.set(name, at);
    this.table.writeUInt32LE(revision + 1, at + NAME_BYTES);
    this.table.set(hash, at + NAME_BYTES + REVISION_BYTES);
  }

  private nameOf(stream: string): Buffer {
    return digestOf('sha256', this.salt + stream, 'buffer').subarray(0, NAME_BYTES);
  }

  /** Returns the offset of a name's slot, or of the empty slot that it would get. */
  private find(table: Buffer, slots: number, name: Buffer): number {
    for (let slot = name.readUInt32LE() % slots; ; slot = (slot + 1) % slots) {
      const at = slot * SLOT_BYTES;
      const isEmpty = table.readUInt32LE(at + NAME_BYTES) === 0;
      if (isEmpty || name.compare(table, at, at + NAME_BYTES) === 0) return at;
    }
  }

  private grow(): void {
    const slots = Math.ceil(this.slots * GROWTH_FACTOR);
    const table = Buffer.alloc(slots * SLOT_BYTES);
    for (let at = 0; at < this.table.length; at += SLOT_BYTES) {
      if (this.table.readUInt32LE(at + NAME_BYTES) === 0) continue;
      this.table.copy(table, this.find(table, slots, this.table.subarray(at, at + NAME_BYTES)), at, at + SLOT_BYTES);
    }
    this.slots = slots;
    this.table = table;
  }
}
