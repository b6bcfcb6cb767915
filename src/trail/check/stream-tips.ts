import { randomHex, toHex, writeHex } from '../bytes.ts';
import type { TrailCrypto } from '../crypto.ts';

/** The end of a stream: revision and hash of its last event so far. */
export interface Tip {
  revision: number;
  hash: string;
}

/** A slot has a key, the revision and a hash. */
const KEY_BYTES = 16;
const HASH_BYTES = 32;
const HASH_AT = KEY_BYTES + 4;
const SLOT_BYTES = HASH_AT + HASH_BYTES;
/** A word has 4 bytes. */
const SLOT_WORDS = SLOT_BYTES / 4;
const REVISION_WORD = KEY_BYTES / 4;
const HEX_DIGITS_OF_KEY = 2 * KEY_BYTES;
const MAX_LOAD = 0.75;
/** A table fuller than MAX_LOAD grows by this factor, which leaves 70 to 104 bytes a stream. */
const GROWTH_FACTOR = 1.5;

/**
 * The ends of many streams in about 100 bytes each: a hash table with open addressing in one buffer. A stream's key is
 * the first 16 bytes of SHA-256(random salt + name), so that an attacker can't prepare two names with the same key.
 */
export class StreamTips {
  private readonly salt = randomHex(16);
  private table = new SlotTable(1024);
  private used = 0;
  private readonly key = new Uint8Array(KEY_BYTES);
  private readonly keyWords = new Uint32Array(this.key.buffer);
  /** The stream that `key` belongs to. */
  private keyedStream: string | null = null;

  constructor(private readonly crypto: TrailCrypto) {}

  /** The number of streams. */
  get size(): number {
    return this.used;
  }

  get(stream: string): Tip | null {
    const { bytes, words } = this.table;
    const word = this.table.find(this.keyOf(stream));
    // The table holds revision + 1, so that 0 means an empty slot.
    const revision = words[word + REVISION_WORD]!;
    if (revision === 0) return null;
    const hashAt = word * 4 + HASH_AT;
    return { revision: revision - 1, hash: toHex(bytes.subarray(hashAt, hashAt + HASH_BYTES)) };
  }

  /** @param hash 64 digits in lower case, checked by the caller */
  set(stream: string, revision: number, hash: string): void {
    if (this.used + 1 > this.table.slots * MAX_LOAD) this.table = this.table.grown();
    const { bytes, words } = this.table;
    const key = this.keyOf(stream);
    const word = this.table.find(key);
    if (words[word + REVISION_WORD] === 0) this.used += 1;
    words.set(key, word);
    words[word + REVISION_WORD] = revision + 1;
    writeHex(hash, bytes, word * 4 + HASH_AT);
  }

  /** Returns a stream's key, as words. It holds until the next call. A stream is often asked for twice in a row. */
  private keyOf(stream: string): Uint32Array {
    if (stream !== this.keyedStream) {
      writeHex(this.crypto.sha256(this.salt + stream).slice(0, HEX_DIGITS_OF_KEY), this.key, 0);
      this.keyedStream = stream;
    }
    return this.keyWords;
  }
}

/** The slots of a hash table, found by the words of their keys. */
class SlotTable {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;

  constructor(readonly slots: number) {
    this.bytes = new Uint8Array(slots * SLOT_BYTES);
    this.words = new Uint32Array(this.bytes.buffer);
  }

  /** Returns the first word of a key's slot, or of the empty slot that it would get. @param key may have more words */
  find(key: Uint32Array): number {
    for (let slot = key[0]! % this.slots; ; slot = (slot + 1) % this.slots) {
      const word = slot * SLOT_WORDS;
      if (this.words[word + REVISION_WORD] === 0 || this.hasKey(word, key)) return word;
    }
  }

  /** Returns a larger table with the same content. */
  grown(): SlotTable {
    const table = new SlotTable(Math.ceil(this.slots * GROWTH_FACTOR));
    for (let word = 0; word < this.words.length; word += SLOT_WORDS) {
      const slot = this.words.subarray(word, word + SLOT_WORDS);
      if (slot[REVISION_WORD] !== 0) table.words.set(slot, table.find(slot));
    }
    return table;
  }

  private hasKey(at: number, key: Uint32Array): boolean {
    for (let word = 0; word < REVISION_WORD; word += 1) if (this.words[at + word] !== key[word]) return false;
    return true;
  }
}
