import { randomUUID } from 'node:crypto';

/** A recorded event. Commit and prepare positions are equal, as in a server without transactions. */
export interface LogRecord extends ProposedEvent {
  stream: string;
  revision: bigint;
  position: bigint;
}

export interface ProposedEvent {
  id: string;
  /** `type` and `content-type`, as the client sent them. */
  system: ReadonlyMap<string, string>;
  data: Uint8Array;
  metadata: Uint8Array;
}

export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';

export type AppendResult =
  | { kind: 'written' | 'idempotent'; revision: bigint; position: bigint }
  | { kind: 'conflict'; current: bigint | 'no_stream' }
  | { kind: 'deleted' };

/** A stream's metadata, as far as it limits which events can be read. */
export interface StreamMetadata {
  $maxCount?: number;
  $maxAge?: number;
  $tb?: bigint;
}

/** The truncation that a soft deletion writes. */
const DELETED_BEFORE = 2n ** 63n - 1n;

/** EventStoreDB's log in memory, with its rules for expected revisions and repeated ids. */
export class Log {
  readonly records: LogRecord[] = [];
  readonly #streams = new Map<string, LogRecord[]>();
  readonly #metadata = new Map<string, StreamMetadata>();
  readonly #tombstones = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #next: bigint;

  constructor(firstPosition: bigint) {
    this.#next = firstPosition;
  }

  stream(name: string): readonly LogRecord[] | undefined {
    return this.#streams.get(name);
  }

  /**
   * Returns what a reader of the stream gets: undefined for an absent or soft-deleted one, `deleted` for a tombstone. All
   * events of a stream may be cut off, and it is then empty, not absent. `$all` still has them until a scavenge.
   */
  visible(name: string): readonly LogRecord[] | undefined | 'deleted' {
    if (this.#tombstones.has(name.replace(/^\$\$/, ''))) return 'deleted';
    const records = this.#streams.get(name);
    const { $maxCount, $maxAge, $tb = 0n } = this.#metadata.get(name) ?? {};
    if (records === undefined || $tb === DELETED_BEFORE) return undefined;
    if ($maxAge !== undefined) return [];
    const first = $maxCount === undefined ? 0n : BigInt(Math.max(0, records.length - $maxCount));
    return records.filter(({ revision }) => revision >= $tb && revision >= first);
  }

  /** Writes a stream's metadata, as an operator may. An empty object takes all limits back. */
  setMetadata(name: string, metadata: StreamMetadata): void {
    this.#metadata.set(name, metadata);
    const text = JSON.stringify(metadata, (_key, value) => (typeof value === 'bigint' ? Number(value) : value));
    this.append(`$$${name}`, [{ ...foreignEvent('$metadata'), data: Buffer.from(text) }], 'any');
  }

  softDelete(name: string): void {
    this.setMetadata(name, { $tb: DELETED_BEFORE });
  }

  /** Deletes a stream for good. */
  tombstone(name: string): void {
    this.append(name, [foreignEvent('$streamDeleted')], 'any');
    this.#tombstones.add(name);
  }

  /** Removes from `$all` what can no longer be read. Positions and revisions stay. */
  scavenge(): void {
    const isKept = ({ stream, revision }: LogRecord) => {
      const visible = this.visible(stream);
      if (visible === 'deleted') return stream.startsWith('$$');
      return stream.startsWith('$') || (visible ?? []).some((record) => record.revision === revision);
    };
    this.records.splice(0, this.records.length, ...this.records.filter(isKept));
  }

  /** Forgets everything, as a server that was started anew. */
  becomeEmpty(): void {
    this.records.splice(0);
    this.#streams.clear();
    this.#metadata.clear();
    this.#next = 0n;
  }

  /** Returns a copy of the first records: an older copy of the log. */
  copy(length = this.records.length): Log {
    const copy = new Log(this.records[0]?.position ?? this.#next);
    for (const record of this.records.slice(0, length)) copy.append(record.stream, [record], 'any');
    return copy;
  }

  append(stream: string, proposed: readonly ProposedEvent[], expected: ExpectedRevision): AppendResult {
    if (this.#tombstones.has(stream)) return { kind: 'deleted' };
    const records = this.#streams.get(stream) ?? [];
    const storedRevision = this.#alreadyThere(records, proposed, expected);
    if (storedRevision)
      return { kind: 'idempotent', revision: storedRevision.revision, position: storedRevision.position };
    const current = records.length === 0 ? 'no_stream' : BigInt(records.length - 1);
    if (!isExpected(expected, current) && !this.#reopens(stream, expected)) return { kind: 'conflict', current };
    for (const event of proposed) this.#write(stream, records, event);
    for (const wake of this.#waiting) wake();
    const last = records.at(-1)!;
    return { kind: 'written', revision: last.revision, position: last.position };
  }

  /** Resolves when something was appended after the first `length` records, or when `signal` is aborted. */
  async waitForGrowth(length: number, signal: AbortSignal): Promise<void> {
    if (this.records.length > length || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  /** Returns the index of the first record at or after a position. */
  indexOf(position: bigint): number {
    let low = 0;
    let high = this.records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.records[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #write(stream: string, records: LogRecord[], event: ProposedEvent): void {
    const record = { ...event, stream, revision: BigInt(records.length), position: this.#next };
    // Real positions are byte offsets: never consecutive.
    this.#next += BigInt(event.data.length + event.metadata.length + 97);
    records.push(record);
    this.#streams.set(stream, records);
    this.records.push(record);
  }

  /** Lets an append begin a soft-deleted stream again, as the server does. Its events go on with the old numbers. */
  #reopens(stream: string, expected: ExpectedRevision): boolean {
    if (expected !== 'no_stream' || this.#metadata.get(stream)?.$tb !== DELETED_BEFORE) return false;
    this.setMetadata(stream, { $tb: BigInt(this.#streams.get(stream)!.length) });
    return true;
  }

  /** Returns the last proposed event if all ids are in the log, even if their data differ. */
  #alreadyThere(records: readonly LogRecord[], proposed: readonly ProposedEvent[], expected: ExpectedRevision) {
    if (expected !== 'no_stream' && typeof expected !== 'bigint') return undefined;
    const first = expected === 'no_stream' ? 0 : Number(expected) + 1;
    if (proposed.some((event, index) => records[first + index]?.id !== event.id)) return undefined;
    return records[first + proposed.length - 1];
  }
}

function isExpected(expected: ExpectedRevision, current: bigint | 'no_stream'): boolean {
  if (expected === 'any') return true;
  if (expected === 'stream_exists') return current !== 'no_stream';
  return expected === current;
}

/** Returns an event of the server or of another program, without the service's metadata. */
export function foreignEvent(type: string, metadata = {}): ProposedEvent {
  return {
    id: randomUUID(),
    system: new Map([
      ['type', type],
      ['content-type', 'application/json'],
    ]),
    data: Buffer.from('{}'),
    metadata: Buffer.from(JSON.stringify(metadata)),
  };
}

/** Adds events that a server and other programs write between ours. */
export function addForeignEvents(log: Log): void {
  const like = { organization_id: 'org_00000000000000000000000000', hash: 'ab'.repeat(32) };
  log.append('$stats', [foreignEvent('$statsCollected')], 'any');
  log.append('$projections', [foreignEvent('Projected', like)], 'any');
  log.append('vendor-0', [foreignEvent('$metadata', like)], 'any');
  log.append('another-program', [foreignEvent('Happened')], 'any');
}
