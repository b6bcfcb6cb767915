import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LineSplitter, MAX_LINE_BYTES, NotAnExport } from '../../src/trail/check/line-splitter.ts';
import { StreamTips } from '../../src/trail/check/stream-tips.ts';
import { Verifier, verifyExport } from '../../src/trail/index.ts';
import { nodeCrypto } from '../../src/trail/node/node-crypto.ts';
import { FIRST_KEY, linesOf, publicOf, twoHundredEvents } from '../support/trail/sealed-history.ts';

const test = suite('lines of an export');

const LINES = linesOf(twoHundredEvents().events.slice(0, 12));
const OPTIONS = { keys: [publicOf(FIRST_KEY)] };

/** Returns the error for the lines with the fifth one replaced. */
async function refusal(line: string | Uint8Array): Promise<NotAnExport | null> {
  async function* pieces() {
    yield Buffer.from(`${LINES.slice(0, 4).join('\n')}\n`);
    yield Buffer.from(line as string);
    yield Buffer.from(`\n${LINES.slice(5).join('\n')}\n`);
  }
  return verifyExport(pieces(), OPTIONS).then(
    () => null,
    (error: unknown) => error as NotAnExport,
  );
}

const LINE = LINES[4]!;
const nestedLine = (depth: number) => LINE.replace('"data":{', `"data":{"A":${'['.repeat(depth)}${']'.repeat(depth)},`);

for (const [content, line, why] of [
  ['no text', '', /is not JSON/],
  ['incomplete JSON', LINE.slice(0, -1), /is not JSON/],
  ['a list', '[]', /not a line of an export/],
  ['null', 'null', /not a line of an export/],
  ['a carriage return', `${LINE}\r`, /canonical form/],
  ['a byte order mark', `\uFEFF${LINE}`, /is not JSON/],
  ['white space', LINE.replace('{"event":', '{ "event":'), /canonical form/],
  ['a repeated member', LINE.replace('"data":{', '"data":{"n":1,"n":2,'), /canonical form/],
  ['a repeated position', LINE.replace('"position":4', '"position":9,"position":4'), /canonical form/],
  ['members in another order', `{"position":4,${LINE.slice(1, LINE.indexOf(',"position":4'))}}`, /canonical form/],
  ['a number in another spelling', LINE.replace('"position":4', '"position":4.0'), /canonical form/],
  ['an unnecessary escape', LINE.replace('"data"', '"d\\u0061ta"'), /canonical form/],
  ['half a character', LINE.replace('Text', '\\ud800'), /not valid Unicode/],
  ['an extra member', LINE.replace('"id":', '"extra":1,"id":'), /not a line of an export/],
  ['a missing member', LINE.replace(/"id":"[^"]*",/, ''), /not a line of an export/],
  ['a list for data', LINE.replace(/"data":\{.*\},"id"/, '"data":[],"id"'), /not a valid event/],
  ['a revision as text', LINE.replace(/"revision":\d+/, '"revision":"0"'), /not a valid event/],
  ['a revision below 0', LINE.replace(/"revision":\d+/, '"revision":-1'), /not a valid event/],
  ['position 0', LINE.replace('"position":4', '"position":0'), /not a valid event/],
  ['another format', LINES[0]!.replace('export-1', 'export-2'), /not have the format veritrail-export-1/],
  ['deep nesting', nestedLine(62), /nested more than 64 deep/],
  ['very deep nesting', nestedLine(200_000), /nested more than 64 deep/],
  ['end: false', '{"end":false,"head":{"root":"","size":0},"position":0}', /not a valid end/],
] as const) {
  test(`the verifier rejects a line with ${content} and names its number`, async () => {
    const error = await refusal(line);
    assert.instance(error, NotAnExport);
    assert.is(error?.line, 5);
    assert.match(error!.message, why);
    assert.match(error!.message, /^line 5 /);
  });
}

test('the verifier reads a line with the deepest allowed nesting', async () => {
  assert.is(await refusal(nestedLine(61)), null);
});

test('the verifier rejects bytes that are not UTF-8', async () => {
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
    const error = await refusal(
      Buffer.concat([Buffer.from('{"event":{"data":{"a":"'), Buffer.from(bytes), Buffer.from('"}}}')]),
    );
    assert.is(error?.message, 'line 5 is not UTF-8');
  }
});

test('the verifier rejects a line of more than 2 MiB as soon as it is that long', async () => {
  const error = await refusal('x'.repeat(MAX_LINE_BYTES + 1));
  assert.is(error?.message, 'line 5 is longer than 2 MiB');
  let chunks = 0;
  async function* endlessLine() {
    yield Buffer.from(`${LINES[0]}\n`);
    for (; ; chunks += 1) yield Buffer.alloc(65_536, 'x');
  }
  const failure = await verifyExport(endlessLine(), OPTIONS).catch((thrown: NotAnExport) => thrown.message);
  assert.is(failure, 'line 2 is longer than 2 MiB');
  assert.ok(chunks <= MAX_LINE_BYTES / 65_536);
});

test('LineSplitter splits bytes in pieces of any size', () => {
  const text = 'eins\n\nzwei – drei\nvier';
  for (let size = 1; size < 12; size += 1) {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    const bytes = Buffer.from(text);
    for (let offset = 0; offset < bytes.length; offset += size)
      lines.push(...splitter.push(bytes.subarray(offset, offset + size)));
    assert.equal([...lines, splitter.remainingLine()], text.split('\n'));
  }
  assert.is(new LineSplitter().remainingLine(), null);
});

test('the verifier accepts a last line without a line feed, but reports a truncated one', () => {
  for (const [rest, fault] of [
    [LINES.at(-1)!, null],
    [LINES.at(-1)!.slice(0, -1), 'CUT'],
  ] as const) {
    const verifier = new Verifier(OPTIONS);
    for (const line of LINES.slice(0, -1)) verifier.push(line);
    verifier.pushRest(rest);
    const { export_fault } = verifier.finish();
    assert.is(export_fault?.why === 'CUT' ? 'CUT' : null, fault);
  }
  assert.throws(
    () => new Verifier(OPTIONS).pushRest('{'),
    (error: unknown) => error instanceof NotAnExport,
  );
});

test('the verifier reports a truncated file, even if it ends within a character', async () => {
  const bytes = Buffer.from(`${LINES.slice(0, 4).join('\n')}\n`);
  const end = bytes.indexOf(LINES[1]!);
  for (let cut = end; cut <= bytes.length; cut += 1) {
    async function* pieces() {
      yield bytes.subarray(0, cut);
    }
    assert.is((await verifyExport(pieces(), OPTIONS)).export_fault?.why, 'CUT', `${cut}`);
  }
});

test('StreamTips stores the ends of 50,000 streams in less than 140 bytes each', () => {
  const tips = new StreamTips(nodeCrypto);
  const hash = (n: number) => (n % 251).toString(16).padStart(2, '0').repeat(32);
  for (let n = 0; n < 50_000; n += 1) tips.set(`stream-${n}`, 0, hash(n));
  for (let n = 0; n < 50_000; n += 7) tips.set(`stream-${n}`, n, hash(n + 1));
  const { bytes } = (tips as unknown as { table: { bytes: Uint8Array } }).table;
  assert.is(tips.size, 50_000);
  assert.ok(bytes.byteLength / tips.size < 140, `${bytes.byteLength / tips.size} bytes a stream`);
  for (let n = 0; n < 50_000; n += 1) {
    const { revision, hash: storedHash } = tips.get(`stream-${n}`)!;
    assert.is(revision, n % 7 === 0 ? n : 0);
    assert.is(storedHash, hash(n % 7 === 0 ? n + 1 : n));
  }
  assert.is(tips.get('stream-50000'), null);
});

test.run();
