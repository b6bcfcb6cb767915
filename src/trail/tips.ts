import { hash as digestOf } from 'node:crypto';
import { randomHex } from './random.ts';

/** Where a stream ends: revision and hash (32 bytes) of its last event so far. */
export interface Tip {
  revision: number;
  hash: Buffer;
}

const NAME = 16;
const REVISION = 4;
const SLOT = NAME + REVISION + 32;
const FULL = 0.75;
/** By so much a full table grows: 70 to 104 bytes a stream. */
const GROWTH = 1.5;

/**
 * The ends of very many streams, in about 100 bytes each: a table of open addressing in one buffer. A stream's name is
 * kept as the first 16 bytes of its SHA-256 behind a random text, so that nobody can prepare two that meet.
 */
export class StreamTips {
  private readonly salt = randomHex(16);
  private slots = 1024;
  private table = Buffer.alloc(this.slots * SLOT);
  private used = 0;

  /** How many streams there are. */
  get size(): number {
    return this.used;
  }

  get(stream: string): Tip | null {
    const at = this.find(this.table, this.slots, this.nameOf(stream));
    // Stored with 1 added: an empty slot has none.
    const revision = this.table.readUInt32LE(at + NAME);
    return revision === 0
      ? null
      : { revision: revision - 1, hash: this.table.subarray(at + NAME + REVISION, at + SLOT) };
  }

  set(stream: string, revision: number, hash: Buffer): void {
    if (this.used + 1 > this.slots * FULL) this.grow();
    const name = this.nameOf(stream);
    const at = this.find(this.table, this.slots, name);
    if (this.table.readUInt32LE(at + NAME) === 0) this.used += 1;
    this.table.set(name, at);
    this.table.writeUInt32LE(revision + 1, at + NAME);
    this.table.set(hash, at + NAME + REVISION);
  }

  private nameOf(stream: string): Buffer {
    return digestOf('sha256', this.salt + stream, 'buffer').subarray(0, NAME);
  }

  /** Where a name's slot begins, or the empty one that it would take. */
  private find(table: Buffer, slots: number, name: Buffer): number {
    for (let slot = name.readUInt32LE() % slots; ; slot = (slot + 1) % slots) {
      const at = slot * SLOT;
      const isEmpty = table.readUInt32LE(at + NAME) === 0;
      if (isEmpty || name.compare(table, at, at + NAME) === 0) return at;
    }
  }

  private grow(): void {
    const slots = Math.ceil(this.slots * GROWTH);
    const table = Buffer.alloc(slots * SLOT);
    for (let at = 0; at < this.table.length; at += SLOT) {
      if (this.table.readUInt32LE(at + NAME) === 0) continue;
      this.table.copy(table, this.find(table, slots, this.table.subarray(at, at + NAME)), at, at + SLOT);
    }
    this.slots = slots;
    this.table = table;
  }
}
