import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { canonical } from '../../../src/trail/canonical.ts';
import { endLine, eventLine, headerLine } from '../../../src/trail/check/line.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { eventHash, eventId, saltedHash } from '../../../src/trail/index.ts';
import { nodeCrypto } from '../../../src/trail/node/node-crypto.ts';
import { GrowingTree } from '../../../src/trail/seals/merkle.ts';
import { introduceKey, makeSeal, type SealEvent, sealStream } from '../../../src/trail/seals/seal-events.ts';
import { FIRST_KEY, HEADER, ORGANIZATION } from '../trail/sealed-history.ts';

/** Returns the bytes in use after garbage collection. */
export function bytesInUse(): number {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const SEAL_EVERY = 5_000;
const STREAMS = 50;
const SALT = 'ab'.repeat(16);

/** Yields a sealed history of any length, line by line, without holding it. Each event has `length` characters of data. */
export function* streamedLines(
  events: number,
  characters: number,
): Generator<{ text: string; event: TrailEvent | null }> {
  const data = { text: 'x'.repeat(characters) };
  const dataText = canonical(data);
  const data_hash = saltedHash(SALT, data);
  const tips = new Map<string, { revision: number; hash: string }>();
  const tree = new GrowingTree(nodeCrypto);
  const next = (stream: string, type: string, eventData: TrailEvent['data'], own_hash: string): TrailEvent => {
    const tip = tips.get(stream);
    const command_id = '2ed6657d-e927-568b-95e1-2665a8aea6a2';
    const metadata = {
      organization_id: ORGANIZATION,
      actor_id: 'acc_1',
      token_id: null,
      client: null,
      command_id,
      input_hash: data_hash,
      correlation_id: command_id,
      causation_id: null,
      schema_version: 1,
      salt: SALT,
      recorded_at: HEADER.exported_at,
      data_hash: own_hash,
      previous_hash: tip?.hash ?? null,
      hash: '',
    };
    const event = { id: '', stream, revision: (tip?.revision ?? -1) + 1, type, data: eventData, metadata };
    metadata.hash = eventHash(event);
    event.id = eventId(metadata.hash);
    tips.set(stream, { revision: event.revision, hash: metadata.hash });
    tree.append(metadata.hash);
    return event;
  };
  let previous_seal: string | null = null;
  const ofSeals = ({ type, data: sealData }: SealEvent) => {
    const event = next(sealStream(ORGANIZATION), type, { ...sealData }, saltedHash(SALT, sealData));
    return { text: eventLine(tree.size, event), event };
  };
  yield { text: headerLine(HEADER), event: null };
  yield ofSeals(introduceKey(ORGANIZATION, FIRST_KEY));
  while (tree.size < events) {
    if (tree.size % SEAL_EVERY === 0 || tree.size === events - 1) {
      const head = { size: tree.size, root: tree.root(), sealed_at: HEADER.exported_at, previous_seal };
      const seal = ofSeals(makeSeal(ORGANIZATION, head, FIRST_KEY));
      previous_seal = seal.event.metadata.hash;
      yield seal;
    } else {
      const event = next(`vendor-${tree.size % STREAMS}`, 'SomethingHappened', data, data_hash);
      const { id, metadata, revision, stream, type } = event;
      const tail = canonical({ id, metadata, revision, stream, type }).slice(1);
      yield { text: `{"event":{"data":${dataText},${tail},"position":${tree.size}}`, event };
    }
  }
  yield {
    text: endLine({ end: true, position: tree.size, head: { size: tree.size, root: tree.root() } }),
    event: null,
  };
}

/** Yields the same history as the bytes of a file, in chunks. */
export async function* streamedBytes(
  events: number,
  characters: number,
  at: (line: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  let texts: string[] = [];
  let bufferedBytes = 0;
  let line = 0;
  for (const { text } of streamedLines(events, characters)) {
    texts.push(text, '\n');
    bufferedBytes += text.length;
    line += 1;
    at(line);
    if (bufferedBytes < 256 * 1024) continue;
    yield Buffer.from(texts.join(''), 'utf8');
    texts = [];
    bufferedBytes = 0;
  }
  yield Buffer.from(texts.join(''), 'utf8');
}
