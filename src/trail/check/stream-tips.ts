import { hash as digestOf } from 'node:crypto';
import { randomHex } from '../random.ts';

/** The end of a stream: revision and hash (32 bytes) of its last event so far. */
export interface Tip {
  revision: number;
  hash: Buffer;
}

const KEY_BYTES = 16;
const REVISION_BYTES = 4;
const SLOT_BYTES = KEY_BYTES + REVISION_BYTES + 32;
const MAX_LOAD = 0.75;
/** A table fuller than MAX_LOAD grows by this factor, which leaves 70 to 104 bytes a stream. */
const GROWTH_FACTOR = 1.5;

/**
 * The ends of many streams in about 100 bytes each: a hash table with open addressing in one buffer. A stream's key is
 * the first 16 bytes of SHA-256(random salt + name), so that an attacker can't prepare two names with the same key.
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
    const offset = this.find(this.table, this.slots, this.keyOf(stream));
    // The table holds revision + 1, so that 0 means an empty slot.
    const revision = this.table.readUInt32LE(offset + KEY_BYTES);
    return revision === 0
      ? null
      : { revision: revision - 1, hash: this.table.subarray(offset + KEY_BYTES + REVISION_BYTES, offset + SLOT_BYTES) };
  }

  set(stream: string, revision: number, hash: Buffer): void {
    if (this.used + 1 > this.slots * MAX_LOAD) this.grow();
    const key = this.keyOf(stream);
    const offset = this.find(this.table, this.slots, key);
    if (this.table.readUInt32LE(offset + KEY_BYTES) === 0) this.used += 1;
    this.table.set(key, offset);
    this.table.writeUInt32LE(revision + 1, offset + KEY_BYTES);
    this.table.set(hash, offset + KEY_BYTES + REVISION_BYTES);
  }

  private keyOf(stream: string): Buffer {
    return digestOf('sha256', this.salt + stream, 'buffer').subarray(0, KEY_BYTES);
  }

  /** Returns the offset of a key's slot, or of the empty slot that it would get. */
  private find(table: Buffer, slots: number, key: Buffer): number {
    for (let slot = key.readUInt32LE() % slots; ; slot = (slot + 1) % slots) {
      const offset = slot * SLOT_BYTES;
      const isEmpty = table.readUInt32LE(offset + KEY_BYTES) === 0;
      if (isEmpty || key.compare(table, offset, offset + KEY_BYTES) === 0) return offset;
    }
  }

  private grow(): void {
    const slots = Math.ceil(this.slots * GROWTH_FACTOR);
    const table = Buffer.alloc(slots * SLOT_BYTES);
    for (let offset = 0; offset < this.table.length; offset += SLOT_BYTES) {
      if (this.table.readUInt32LE(offset + KEY_BYTES) === 0) continue;
      const target = this.find(table, slots, this.table.subarray(offset, offset + KEY_BYTES));
      this.table.copy(table, target, offset, offset + SLOT_BYTES);
    }
    this.slots = slots;
    this.table = table;
  }
}
