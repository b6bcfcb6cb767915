import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonical } from '../../src/trail/canonical.ts';
import { verifyChain } from '../../src/trail/chain.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { sealStream } from '../../src/trail/seal-events.ts';
import type { Verdict } from '../../src/trail/verdict.ts';
import type { Insider } from './insider.ts';
import { linesOf, ORGANIZATION, twoHundredEvents, verify } from './sealed-history.ts';

const SEALS = sealStream(ORGANIZATION);
export const EVENTS = twoHundredEvents().events;
const SEALED = EVENTS.filter(({ type }) => type === 'LogSealed').map(({ data }) => canonical(data));

/**
 * What must come out: the first event that a chain shows, else the first place where the log is not the sealed one and
 * so the first seal that covers it; nothing where no seal came after.
 */
export type Expected = { event: number } | { sealed: number; from: number } | { lost: number | null };

/** Worked out naively, from whole streams and from the log as it was. */
export function expectedOf(events: readonly TrailEvent[]): Expected {
  const faults = [...byStream(events).values()].flatMap((chain) => faultIn(events, chain));
  if (faults.length > 0) return { event: Math.min(...faults) };
  const other = events.findIndex(({ id }, index) => id !== EVENTS[index]?.id);
  const seals = events.filter(({ type, stream }) => stream === SEALS && type === 'LogSealed');
  // What stands around a seal, its time too, no signature holds: only a seal that comes after.
  const own = seals.filter(({ data }) => SEALED.includes(canonical(data)));
  const newest = Number(own.at(-1)?.data.size ?? 0);
  if (other >= 0 && (other < newest || own.length < seals.length)) {
    // Up to the first seal that is none of ours, those hold whose events are all as they were.
    const good = own.slice(0, seals.findIndex((seal) => !own.includes(seal)) >>> 0);
    const sizes = good.map(({ data }) => Number(data.size)).filter((size) => size <= other);
    return { sealed: other + 1, from: Math.max(0, ...sizes) + 1 };
  }
  return { lost: newest === 0 ? null : newest };
}

function byStream(events: readonly TrailEvent[]): Map<string, TrailEvent[]> {
  const chains = new Map<string, TrailEvent[]>();
  for (const event of events) chains.set(event.stream, [...(chains.get(event.stream) ?? []), event]);
  return chains;
}

const UNTOUCHED = byStream(EVENTS);

/** Ordinal of the event where a chain breaks. */
function faultIn(events: readonly TrailEvent[], chain: readonly TrailEvent[]): number[] {
  const was = UNTOUCHED.get(chain[0]!.stream);
  if (was?.length === chain.length && chain.every((event, n) => event === was[n])) return [];
  // One after the other, so that the same event twice is told apart by its place.
  const broken = chain.findIndex((_, n) => verifyChain(chain.slice(0, n + 1)) !== null);
  if (broken < 0) return [];
  const before = chain.slice(0, broken).filter((event) => event === chain[broken]).length;
  const places = [...events.keys()].filter((at) => events[at] === chain[broken]);
  return [places[before]! + 1];
}

export function check(insider: Insider, index: number): Expected {
  const events = insider(EVENTS, index);
  const expected = expectedOf(events);
  const verdict = verify(linesOf(events));
  const place = `${index + 1}: ${JSON.stringify({ expected, ...verdict, keys: 0, redactions: 0 })}`;
  if ('event' in expected) assert.is(verdict.event_fault?.position, expected.event, place);
  else if ('sealed' in expected) isSealFault(verdict, expected, place);
  else if (expected.lost === null) assert.is(verdict.export_fault?.why, 'NO_SEAL', place);
  else {
    assert.is(verdict.valid, true, place);
    assert.is(verdict.proved?.size, expected.lost, place);
  }
  if (!('lost' in expected)) assert.is(verdict.valid, false, place);
  return expected;
}

/** At whatever position each of these changes the log, the chain shows it or the next seal. */
export function alwaysShown(name: string, insiders: Readonly<Record<string, Insider>>): void {
  const test = suite(name);
  for (const [what, insider] of Object.entries(insiders)) {
    test(`${what}, at every position: the chain shows it, or the next seal`, () => {
      const lost = [...EVENTS.keys()].filter((index) => 'lost' in check(insider, index));
      // Behind what the newest seal covers there is but its own event: what is added there is not sealed yet.
      assert.ok(
        lost.every((index) => index >= EVENTS.length - 2),
        `${lost}`,
      );
    });
  }
  test.run();
}

function isSealFault(
  { event_fault, seal_fault }: Verdict,
  expected: { sealed: number; from: number },
  place: string,
): void {
  assert.is(event_fault, null, place);
  assert.is(seal_fault?.from, expected.from, place);
  assert.ok(seal_fault!.from <= expected.sealed && expected.sealed <= seal_fault!.until, place);
}
