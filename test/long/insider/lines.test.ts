import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NotAnExport } from '../../../src/trail/check/line-splitter.ts';
import { Verifier } from '../../../src/trail/index.ts';
import { EVENTS } from '../../support/trail/insider-suite.ts';
import { FIRST_KEY, linesOf, publicOf, verify } from '../../support/trail/sealed-history.ts';

const test = suite('an insider who changes lines');

const LINES = linesOf(EVENTS);
/** The indexes of the events' lines. */
const PLACES = [...EVENTS.keys()].map((index) => index + 1);
const END = LINES.length - 1;

test('a dropped line is detected at every position', () => {
  for (const index of PLACES) {
    const { event_fault, export_fault } = verify(LINES.toSpliced(index, 1));
    if (index + 1 === END) assert.is(export_fault?.why, 'HEAD');
    else assert.equal([event_fault?.why, event_fault?.position, event_fault?.line], ['ORDER', index, index + 1]);
  }
});

test('a repeated line is detected at every position', () => {
  for (const index of PLACES) {
    const { event_fault } = verify(LINES.toSpliced(index, 0, LINES[index]!));
    assert.equal([event_fault?.why, event_fault?.position, event_fault?.line], ['ORDER', index + 1, index + 2]);
  }
});

test('swapped lines are detected at every position', () => {
  for (const index of PLACES) {
    const neighbour = index + 1 === END ? index - 1 : index + 1;
    const { event_fault } = verify(LINES.with(index, LINES[neighbour]!).with(neighbour, LINES[index]!));
    assert.equal([event_fault?.why, event_fault?.position], ['ORDER', Math.min(index, neighbour)]);
  }
});

test('a truncated file is detected at every line and within each line', () => {
  for (const index of PLACES) {
    const events = index - 1;
    assert.equal(verify(LINES.slice(0, index)).export_fault, { why: 'CUT', position: events });
    const verifier = new Verifier({ keys: [publicOf(FIRST_KEY)] });
    for (const line of LINES.slice(0, index)) verifier.push(line);
    verifier.pushRest(LINES[index]!.slice(0, 1 + ((index * 37) % (LINES[index]!.length - 1))));
    assert.equal(verifier.finish().export_fault, { why: 'CUT', position: events });
  }
});

test('a forged last line is detected', () => {
  const firstEvents = EVENTS.slice(0, 100);
  const end = (changes: object) =>
    JSON.stringify({ end: true, head: { root: '0'.repeat(64), size: 100, ...changes }, position: 100 });
  for (const line of [end({}), end({ size: 99 }), LINES[END]!]) {
    const { valid, export_fault } = verify([...linesOf(firstEvents).slice(0, -1), line]);
    assert.equal([valid, export_fault], [false, { why: 'HEAD', position: 100 }]);
  }
});

test('another organization’s events and misplaced lines are detected', () => {
  const header = LINES[0]!.replace('org_6', 'org_7');
  assert.equal(
    [verify(LINES.with(0, header)).event_fault?.why, verify(LINES.with(0, header)).event_fault?.position],
    ['FOREIGN', 1],
  );
  for (const [lines, line, why] of [
    [LINES.slice(1), 1, 'is not the header of an export'],
    [LINES.toSpliced(3, 0, LINES[0]!), 4, 'is a second header'],
    [[...LINES, LINES[1]!], LINES.length + 1, 'comes after the end of the export'],
    [[], 1, 'is missing: the file is empty'],
  ] as const) {
    assert.throws(
      () => verify(lines),
      (error: unknown) => error instanceof NotAnExport && error.line === line && error.why === why,
    );
  }
});

test.run();
