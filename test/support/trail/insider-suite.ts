import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonical } from '../../../src/trail/canonical.ts';
import type { Verdict } from '../../../src/trail/check/verdict.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { verifyChain } from '../../../src/trail/index.ts';
import { sealStream } from '../../../src/trail/seals/seal-events.ts';
import type { Insider } from './insider.ts';
import { linesOf, ORGANIZATION, twoHundredEvents, verify } from './sealed-history.ts';

const SEALS = sealStream(ORGANIZATION);
export const EVENTS = twoHundredEvents().events;
const ORIGINAL_SEALS = EVENTS.filter(({ type }) => type === 'LogSealed').map(({ data }) => canonical(data));

/**
 * The expected verdict, one of three:
 * - `event`: the position of the first event that fails in its chain.
 * - `sealed`: the first altered position. The first seal over it shows the change. `from` is the first position that
 *   this seal covers and the last good one doesn't.
 * - `lost`: no later seal shows the change. Its value is the size that is still proved.
 */
export type ExpectedVerdict = { event: number } | { sealed: number; from: number } | { lost: number | null };

/** Computes the expected verdict naively, from whole streams and the original log. */
export function expectedVerdict(events: readonly TrailEvent[]): ExpectedVerdict {
  const faults = [...byStream(events).values()].flatMap((chain) => faultPositions(events, chain));
  if (faults.length > 0) return { event: Math.min(...faults) };
  const firstDifference = events.findIndex(({ id }, index) => id !== EVENTS[index]?.id);
  const seals = events.filter(({ type, stream }) => stream === SEALS && type === 'LogSealed');
  // A seal's signature covers its data only. A later seal covers the rest of its event, such as its time.
  const trueSeals = seals.filter(({ data }) => ORIGINAL_SEALS.includes(canonical(data)));
  const newest = Number(trueSeals.at(-1)?.data.size ?? 0);
  if (firstDifference >= 0 && (firstDifference < newest || trueSeals.length < seals.length)) {
    // Before the first forged seal, a seal is good if all events it covers are unchanged.
    const firstForged = seals.findIndex((seal) => !trueSeals.includes(seal));
    const validSeals = firstForged < 0 ? trueSeals : trueSeals.slice(0, firstForged);
    const sizes = validSeals.map(({ data }) => Number(data.size)).filter((size) => size <= firstDifference);
    return { sealed: firstDifference + 1, from: Math.max(0, ...sizes) + 1 };
  }
  return { lost: newest === 0 ? null : newest };
}

function byStream(events: readonly TrailEvent[]): Map<string, TrailEvent[]> {
  const chains = new Map<string, TrailEvent[]>();
  for (const event of events) chains.set(event.stream, [...(chains.get(event.stream) ?? []), event]);
  return chains;
}

const ORIGINAL_CHAINS = byStream(EVENTS);

/** Returns the position at which a chain breaks, or an empty list if it is whole. */
function faultPositions(events: readonly TrailEvent[], chain: readonly TrailEvent[]): number[] {
  const original = ORIGINAL_CHAINS.get(chain[0]!.stream);
  if (original?.length === chain.length && chain.every((event, n) => event === original[n])) return [];
  // Checks event by event, to distinguish two copies of the same event by their place.
  const brokenIndex = chain.findIndex((_, n) => verifyChain(chain.slice(0, n + 1)) !== null);
  if (brokenIndex < 0) return [];
  const copiesBefore = chain.slice(0, brokenIndex).filter((event) => event === chain[brokenIndex]).length;
  const copyIndexes = [...events.keys()].filter((index) => events[index] === chain[brokenIndex]);
  return [copyIndexes[copiesBefore]! + 1];
}

/** Checks that the verifier gives the expected verdict on a manipulation. Returns that verdict. */
export function assertExpectedVerdict(insider: Insider, index: number): ExpectedVerdict {
  const events = insider(EVENTS, index);
  const expected = expectedVerdict(events);
  const verdict = verify(linesOf(events));
  const title = `${index + 1}: ${JSON.stringify({ expected, ...verdict, keys: 0, redactions: 0 })}`;
  if ('event' in expected) assert.is(verdict.event_fault?.position, expected.event, title);
  else if ('sealed' in expected) assertSealFault(verdict, expected, title);
  else if (expected.lost === null) assert.is(verdict.export_fault?.why, 'NO_SEAL', title);
  else {
    assert.is(verdict.valid, true, title);
    assert.is(verdict.proved?.size, expected.lost, title);
  }
  if (!('lost' in expected)) assert.is(verdict.valid, false, title);
  return expected;
}

/** Tests each manipulation at every position: the chain or the next seal must show it. */
export function assertAlwaysDetected(name: string, insiders: Readonly<Record<string, Insider>>): void {
  const test = suite(name);
  for (const [manipulation, insider] of Object.entries(insiders)) {
    test(`${manipulation} is detected at every position, by the chain or the next seal`, () => {
      const lostIndexes = [...EVENTS.keys()].filter((index) => 'lost' in assertExpectedVerdict(insider, index));
      // After the events that the newest seal covers comes only its own event. Anything added there is not sealed yet.
      assert.ok(
        lostIndexes.every((index) => index >= EVENTS.length - 2),
        `${lostIndexes}`,
      );
    });
  }
  test.run();
}

function assertSealFault(
  { event_fault, seal_fault }: Verdict,
  expected: { sealed: number; from: number },
  title: string,
): void {
  assert.is(event_fault, null, title);
  assert.is(seal_fault?.from, expected.from, title);
  assert.ok(seal_fault!.from <= expected.sealed && expected.sealed <= seal_fault!.until, title);
}
