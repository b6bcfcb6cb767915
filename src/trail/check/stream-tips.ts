import { randomHex } from '../bytes.ts';
import type { TrailCrypto } from '../crypto.ts';

/** The end of a stream: revision and hash of its last event so far. */
export interface Tip {
  revision: number;
  hash: string;
}

/** A slot has 4 words of key, 1 of the revision and 8 of the hash. */
const KEY_WORDS = 4;
const HASH_WORDS = 8;
const SLOT_WORDS = KEY_WORDS + 1 + HASH_WORDS;
/** Hex digits of a word, which has 32 bits. */
const WORD_DIGITS = 8;
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
  private table = new Uint32Array(this.slots * SLOT_WORDS);
  private used = 0;
  private readonly key = new Uint32Array(KEY_WORDS);

  constructor(private readonly crypto: TrailCrypto) {}

  /** The number of streams. */
  get size(): number {
    return this.used;
  }

  get(stream: string): Tip | null {
    const offset = find(this.table, this.keyOf(stream)) + KEY_WORDS;
    // The table holds revision + 1, so that 0 means an empty slot.
    const revision = this.table[offset]!;
    if (revision === 0) return null;
    let hash = '';
    for (let word = 1; word <= HASH_WORDS; word += 1) {
      hash += this.table[offset + word]!.toString(16).padStart(WORD_DIGITS, '0');
    }
    return { revision: revision - 1, hash };
  }

  set(stream: string, revision: number, hash: string): void {
    if (this.used + 1 > this.slots * MAX_LOAD) this.grow();
    const key = this.keyOf(stream);
    const offset = find(this.table, key);
    if (this.table[offset + KEY_WORDS] === 0) this.used += 1;
    this.table.set(key, offset);
    this.table[offset + KEY_WORDS] = revision + 1;
    writeWords(hash, HASH_WORDS, this.table, offset + KEY_WORDS + 1);
  }

  /** Returns a stream's key. It holds until the next call. */
  private keyOf(stream: string): Uint32Array {
    writeWords(this.crypto.sha256(this.salt + stream), KEY_WORDS, this.key, 0);
    return this.key;
  }

  private grow(): void {
    this.slots = Math.ceil(this.slots * GROWTH_FACTOR);
    const table = new Uint32Array(this.slots * SLOT_WORDS);
    for (let offset = 0; offset < this.table.length; offset += SLOT_WORDS) {
      const slot = this.table.subarray(offset, offset + SLOT_WORDS);
      if (slot[KEY_WORDS] !== 0) table.set(slot, find(table, slot));
    }
    this.table = table;
  }
}

/** Returns the offset of a key's slot, or of the empty slot that it would get. @param key may have more words */
function find(table: Uint32Array, key: Uint32Array): number {
  const slots = table.length / SLOT_WORDS;
  for (let slot = key[0]! % slots; ; slot = (slot + 1) % slots) {
    const offset = slot * SLOT_WORDS;
    if (table[offset + KEY_WORDS] === 0 || hasKey(table, offset, key)) return offset;
  }
}

function hasKey(table: Uint32Array, offset: number, key: Uint32Array): boolean {
  for (let word = 0; word < KEY_WORDS; word += 1) if (table[offset + word] !== key[word]) return false;
  return true;
}

/** Writes the first words of a hex text into `target`, from index `at`. */
function writeWords(hex: string, words: number, target: Uint32Array, at: number): void {
  for (let word = 0; word < words; word += 1) {
    const start = word * WORD_DIGITS;
    target[at + word] = Number.parseInt(hex.slice(start, start + WORD_DIGITS), 16);
  }
}
