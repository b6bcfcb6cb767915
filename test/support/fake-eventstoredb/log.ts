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
  | { kind: 'conflict'; current: bigint | 'no_stream' };

/** EventStoreDB's log in memory, with its rules for expected revisions and repeated ids. */
export class Log {
  readonly records: LogRecord[] = [];
  readonly #streams = new Map<string, LogRecord[]>();
  readonly #waiting = new Set<() => void>();
  #next: bigint;

  constructor(firstPosition: bigint) {
    this.#next = firstPosition;
  }

  stream(name: string): readonly LogRecord[] | undefined {
    return this.#streams.get(name);
  }

  append(stream: string, proposed: readonly ProposedEvent[], expected: ExpectedRevision): AppendResult {
    const records = this.#streams.get(stream) ?? [];
    const storedRevision = this.#alreadyThere(records, proposed, expected);
    if (storedRevision)
      return { kind: 'idempotent', revision: storedRevision.revision, position: storedRevision.position };
    const current = records.length === 0 ? 'no_stream' : BigInt(records.length - 1);
    if (!isExpected(expected, current)) return { kind: 'conflict', current };
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
