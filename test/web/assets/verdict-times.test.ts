/** Times in the outcome of a check: the reader's zone on the page, the exact UTC time in the element. */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

interface TimeElement {
  dateTime: string;
  title: string;
  textContent: string;
}

const test = suite('times of an outcome');
const { TZ } = process.env;
test.after(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

/** Shows an outcome as the page's scripts do, for a reader in this zone. @returns the texts and elements of the outcome */
function show(text: string, zone: string, language = 'en-GB'): (string | TimeElement)[] {
  process.env.TZ = zone;
  const shown: (string | TimeElement)[] = [];
  const context = createContext({
    navigator: { language },
    document: { querySelector: () => null, querySelectorAll: () => [], createElement: () => ({}) },
    outcome: { dataset: {}, replaceChildren: (...parts: typeof shown) => shown.push(...parts) },
    text,
  });
  for (const file of ['local-time.js', 'check-proof.js']) {
    runInContext(readFileSync(new URL(`../../../src/web/assets/${file}`, import.meta.url), 'utf8'), context);
  }
  runInContext("show(outcome, { result: 'SEALED', text })", context);
  return shown;
}

const wordsOf = (parts: readonly (string | TimeElement)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.textContent)).join('');

test('shows a time in the reader’s zone, which can be another day, and keeps the exact one', () => {
  const at = '2026-01-14T18:30:00.123Z';
  const parts = show(`Sealed at ${at}.`, 'Asia/Kolkata');
  assert.is(wordsOf(parts), 'Sealed at 15 Jan 2026, 00:00 GMT+5:30.');
  const { dateTime, title } = parts[1] as TimeElement;
  assert.equal([dateTime, title], [at, at]);
});

test('follows the zone’s summer time at each time of an outcome', () => {
  const text = 'From 2026-03-29T00:59:59Z to 2026-03-29T01:00:00Z';
  assert.is(wordsOf(show(text, 'Europe/Oslo')), 'From 29 Mar 2026, 01:59 CET to 29 Mar 2026, 03:00 CEST');
  assert.is(wordsOf(show(text, 'UTC')), 'From 29 Mar 2026, 00:59 UTC to 29 Mar 2026, 01:00 UTC');
});

test('writes the time as the reader’s language does', () => {
  const parts = show('2026-11-26T20:05:00.000Z', 'America/New_York', 'de-DE');
  assert.match(wordsOf(parts), /^26\. Nov\.? 2026, 15:05 (GMT-5|EST)$/);
});

test('leaves days, positions and digests as they are', () => {
  const text = 'history.jsonl 2026-11-26: VALID. 514 events, digest 2026T11Z.';
  assert.equal(show(text, 'Asia/Kolkata'), [text]);
});

test.run();
