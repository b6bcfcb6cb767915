import { createHash, createPrivateKey } from 'node:crypto';
import { endLine, eventLine, headerLine } from '../../../src/trail/check/line.ts';
import type { Verdict } from '../../../src/trail/check/verdict.ts';
import type { VerifierOptions } from '../../../src/trail/check/verifier.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { chainEvents } from '../../../src/trail/hash.ts';
import { readPublicKey, Verifier } from '../../../src/trail/index.ts';
import { nodeCrypto } from '../../../src/trail/node/node-crypto.ts';
import { signingKey } from '../../../src/trail/node/signing-key.ts';
import type { PublicKey, SigningKey } from '../../../src/trail/seals/key.ts';
import { GrowingTree } from '../../../src/trail/seals/merkle.ts';
import { introduceKey, makeSeal, rotateKey, type SealEvent, sealStream } from '../../../src/trail/seals/seal-events.ts';

export const ORGANIZATION = 'org_6AAMK2J70KG5DVSS8R1E2RJNZJ';

/** Ed25519 keys for tests, each derived from one byte. */
export function testKey(byte: number): SigningKey {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]);
  return signingKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

export const publicOf = ({ public_key }: SigningKey): PublicKey => readPublicKey(public_key);

const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** Computes a tree's root over the events' hashes as RFC 9162 (2.1.1) defines it. Nodes are cached. */
export function naiveRoot(hashes: readonly string[], cache = new Map<string, Buffer>()): string {
  const root = (from: number, to: number): Buffer => {
    if (from === to) return sha();
    const cached = cache.get(`${from}-${to}`);
    if (cached) return cached;
    const split = from + 2 ** Math.ceil(Math.log2(to - from) - 1);
    const hash =
      to - from === 1
        ? sha(Buffer.of(0), Buffer.from(hashes[from]!, 'hex'))
        : sha(Buffer.of(1), root(from, split), root(split, to));
    cache.set(`${from}-${to}`, hash);
    return hash;
  };
  return root(0, hashes.length).toString('hex');
}

/** Returns a generator of pseudo-random numbers from 0 to below 1, the same at every run. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A history in memory with a minimal sealer. The real sealer's result must look the same. */
export class SealedHistory {
  readonly events: TrailEvent[] = [];
  private readonly streams = new Map<string, TrailEvent>();
  private previousSeal: string | null = null;

  constructor(readonly organizationId = ORGANIZATION) {}

  /** Appends an event, recorded some seconds after the first. */
  append(stream: string, type: string, data: Record<string, unknown>, metadata: object = {}): TrailEvent {
    const last = this.streams.get(stream);
    const recordedAt = new Date(Date.UTC(2026, 0, 2) + this.events.length * 1000).toISOString();
    const [event] = chainEvents(nodeCrypto, {
      stream,
      revision: last?.revision ?? -1,
      previousHash: last?.metadata.hash ?? null,
      metadata: {
        organization_id: this.organizationId,
        actor_id: 'acc_1',
        token_id: 'tok_1',
        client: { name: 'a client', version: '1.2.3' },
        command_id: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
        correlation_id: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
        causation_id: null,
        recorded_at: recordedAt,
        ...metadata,
      },
      input: data,
      schemaVersion: () => 1,
      newEvents: [{ type, data }],
    }) as [TrailEvent];
    this.streams.set(stream, event);
    this.events.push(event);
    return event;
  }

  /** Begins with existing events. */
  continue(events: readonly TrailEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.streams.set(event.stream, event);
      if (event.type === 'LogSealed') this.previousSeal = event.metadata.hash;
    }
  }

  appendFact(fact: SealEvent): TrailEvent {
    const actor = { actor_id: 'SYSTEM', token_id: null, client: null };
    const event = this.append(sealStream(this.organizationId), fact.type, { ...fact.data }, actor);
    if (fact.type === 'LogSealed') this.previousSeal = event.metadata.hash;
    return event;
  }

  introduce(key: SigningKey): void {
    this.appendFact(introduceKey(this.organizationId, key));
  }

  rotate(from: SigningKey, to: SigningKey): void {
    this.appendFact(rotateKey(this.organizationId, this.previousSeal, from, to));
  }

  get lastSeal(): string | null {
    return this.previousSeal;
  }

  /** Seals the log without its last `behind` events. */
  seal(key: SigningKey, behind = 0): TrailEvent {
    const size = this.events.length - behind;
    const head = { size, root: rootOf(this.events.slice(0, size)) };
    const sealed_at = new Date(Date.UTC(2026, 0, 2) + this.events.length * 1000).toISOString();
    return this.appendFact(
      makeSeal(this.organizationId, { ...head, sealed_at, previous_seal: this.previousSeal }, key),
    );
  }
}

export function rootOf(events: readonly Pick<TrailEvent, 'metadata'>[], roots?: Map<string, Buffer>): string {
  return naiveRoot(
    events.map(({ metadata }) => metadata.hash),
    roots,
  );
}

export const HEADER = {
  format: 'veritrail-export-1',
  organization_id: ORGANIZATION,
  installation: 'an-installation',
  exported_at: '2026-01-03T00:00:00.000Z',
} as const;

const texts = new WeakMap<TrailEvent, string>();

/** Returns an export of these events, in this order, as lines without line feeds. */
export function linesOf(events: readonly TrailEvent[]): string[] {
  const tree = new GrowingTree(nodeCrypto);
  for (const { metadata } of events) tree.append(metadata.hash);
  const head = { size: events.length, root: tree.root() };
  const lines = events.map((event, index) => {
    const text = texts.get(event) ?? eventLine(1, event);
    texts.set(event, text);
    return text.replace(/1}$/, `${index + 1}}`);
  });
  return [headerLine(HEADER), ...lines, endLine({ end: true, position: events.length, head })];
}

export const FIRST_KEY = testKey(1);
export const SECOND_KEY = testKey(2);

const KINDS = ['vendor', 'risk', 'measure'] as const;

/**
 * Makes 200 events in many streams, with some seals that lag behind the log, and a key rotation. The last event is a
 * seal.
 */
export function twoHundredEvents(): SealedHistory {
  const history = new SealedHistory();
  const next = numbers(42);
  history.append(`organization-${ORGANIZATION}`, 'OrganizationCreated', { name: 'Acme' });
  history.introduce(FIRST_KEY);
  let key = FIRST_KEY;
  while (history.events.length < 199) {
    const { length } = history.events;
    if (length % 23 === 20) history.seal(key, Math.floor(next() * 4));
    else if (length === 120) {
      history.rotate(FIRST_KEY, SECOND_KEY);
      key = SECOND_KEY;
    } else {
      const stream = `${KINDS[Math.floor(next() * 3)]}-${Math.floor(next() * 12)}`;
      history.append(stream, 'SomethingHappened', {
        n: length,
        text: `Text ${length} — ü`,
        list: [1, null, { a: true }],
      });
    }
  }
  history.seal(key);
  return history;
}

/** Returns the verifier's verdict on these lines. By default, the first key is trusted. */
export function verify(lines: readonly string[], options: VerifierOptions = { keys: [publicOf(FIRST_KEY)] }): Verdict {
  const verifier = new Verifier(options);
  for (const line of lines) verifier.push(line);
  return verifier.finish();
}
