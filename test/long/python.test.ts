import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NotAnExport } from '../../src/trail/check/line-splitter.ts';
import { outOfOrderText } from '../../src/trail/recorded-order.ts';
import type { LogSealed } from '../../src/trail/seals/seal-events.ts';
import * as insider from '../support/trail/insider.ts';
import { EVENTS } from '../support/trail/insider-suite.ts';
import { FIRST_KEY, linesOf, numbers, publicOf, SealedHistory } from '../support/trail/sealed-history.ts';

/** Times out of order, or none at all. */
const FORGED_TIMES = [
  '2025-03-01T00:00:00.000Z',
  '2099-01-01T00:00:00.000Z',
  '2026-02-30T00:00:00.000Z',
  '2026-01-01T24:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '2025-03-01',
  '',
  7,
  null,
];

/** Returns a history with valid hashes and seals, in which these times stand between those of the clock. */
function forgedHistory(times: readonly unknown[]): SealedHistory {
  const history = new SealedHistory();
  history.introduce(FIRST_KEY);
  history.append('vendor-1', 'Happened', {});
  history.seal(FIRST_KEY);
  for (const recorded_at of times) {
    history.append('vendor-1', 'Happened', {}, { recorded_at });
    history.append('vendor-2', 'Happened', {});
  }
  history.seal(FIRST_KEY);
  return history;
}

/*
 * examples/verify.py was written from docs/trail-format.md and shares only that page with src/trail. Both verifiers must
 * agree on insider attacks, damaged files, and unusual numbers and texts.
 */

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const PROGRAM = join(EXAMPLES, 'verify.py');
const KEY = FIRST_KEY.public_key;

/** Prints the verdicts on many files, so that one process is enough. */
const MULTI_FILE_SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import verify
for path in sys.stdin.read().splitlines():
    try:
        with open(path, "rb") as file: print(json.dumps(verify.verdict_on(file, sys.argv[3:], sys.argv[2])))
    except (*verify.BAD, OSError): print("null")
`;

import { keyIdOf, verifyExport } from '../../src/trail/index.ts';

const python = (args: string[], input = '') => spawnSync('python3', args, { input, encoding: 'utf8' });

interface Summary {
  event_fault: [code: string, position: number] | null;
  seal_fault: [code: string, position: number] | null;
  export_fault: string | null;
  proved: number;
  events: number;
  recorded_out_of_order: string[];
}

/** Returns the TypeScript verifier's verdict as the Python verifier prints it. Null if the text isn't an export. */
async function typeScriptVerdict(text: string): Promise<Summary | null> {
  async function* pieces() {
    yield Buffer.from(text);
  }
  const verdict = await verifyExport(pieces(), { keys: [publicOf(FIRST_KEY)], now: NOW }).catch((error: unknown) => {
    if (error instanceof NotAnExport) return null;
    throw error;
  });
  if (verdict === null) return null;
  const { event_fault, seal_fault, export_fault, proved, events, recorded_out_of_order } = verdict;
  return {
    event_fault: event_fault && [event_fault.why, event_fault.position],
    seal_fault: seal_fault && [seal_fault.why, seal_fault.position!],
    export_fault: export_fault?.why ?? null,
    proved: proved?.size ?? 0,
    events,
    recorded_out_of_order: recorded_out_of_order.first.map(outOfOrderText),
  };
}

/** Verifies files with both programs, asserts equal verdicts and returns them. */
async function assertAgreement(texts: readonly string[]): Promise<(Summary | null)[]> {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-python-'));
  try {
    const paths = texts.map((text, index) => {
      const path = join(folder, `${index}.jsonl`);
      writeFileSync(path, text);
      return path;
    });
    const { stdout, stderr, status } = python(
      ['-c', MULTI_FILE_SCRIPT, EXAMPLES, NOW.toISOString(), KEY],
      paths.join('\n'),
    );
    assert.is(status, 0, stderr);
    const printedLines = stdout.trimEnd().split('\n');
    const verdicts = await Promise.all(texts.map(typeScriptVerdict));
    for (const [index, line] of printedLines.entries())
      assert.equal(JSON.parse(line), verdicts[index], texts[index]!.slice(-500));
    assert.is(printedLines.length, texts.length);
    return verdicts;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const fileOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;
const NOW = new Date('2026-01-03T00:00:00.000Z');
const SHORT = EVENTS.slice(0, 48);
const LINES = linesOf(SHORT);

function tests(): void {
  const test = suite('the Python verifier');

  test('verify.py agrees with the TypeScript verifier on all insider attacks', async () => {
    const next = numbers(7);
    const { rehash: _rehash, ...attacks } = insider;
    const histories = Object.values(attacks).flatMap((attack) =>
      Array.from({ length: 4 }, () => attack(SHORT, Math.floor(next() * SHORT.length))),
    );
    const verdicts = await assertAgreement([SHORT, EVENTS, ...histories].map((events) => fileOf(linesOf(events))));
    const codes = new Set(
      verdicts.map(
        (verdict) => verdict?.event_fault?.[0] ?? verdict?.seal_fault?.[0] ?? verdict?.export_fault ?? 'VALID',
      ),
    );
    for (const code of ['VALID', 'ALTERED', 'OUT_OF_ORDER', 'BROKEN_LINK', 'ROOT', 'NOT_GIVEN'])
      assert.ok(codes.has(code), code);
  });

  test('verify.py agrees with the TypeScript verifier on damaged files', async () => {
    const next = numbers(8);
    const randomIndex = () => 1 + Math.floor(next() * SHORT.length);
    const bytes = Array.from({ length: 40 }, () => {
      const text = fileOf(LINES);
      const offset = Math.floor(next() * text.length);
      return `${text.slice(0, offset)}${String.fromCharCode(32 + Math.floor(next() * 95))}${text.slice(offset + 1)}`;
    });
    const index = randomIndex();
    await assertAgreement([
      ...bytes,
      fileOf(LINES.toSpliced(index, 1)),
      fileOf(LINES.toSpliced(index, 0, LINES[index]!)),
      fileOf(LINES.slice(0, index)),
      fileOf(LINES).slice(0, -40),
      fileOf(LINES).trimEnd(),
      fileOf([...LINES, LINES[1]!]),
      fileOf(LINES.slice(1)),
      fileOf(LINES.with(index, LINES[index]!.replace('"data":{', `"data":{"A":${'['.repeat(61)}${']'.repeat(61)},`))),
      fileOf(LINES.with(index, LINES[index]!.replace('"data":{', `"data":{"A":${'['.repeat(62)}${']'.repeat(62)},`))),
      fileOf(LINES.with(index, LINES[index]!.replace('"data":{', '"data":{"A":NaN,'))),
      fileOf(LINES.with(index, LINES[index]!.replace('"data":{', `"data":{"A":"${'x'.repeat(2 ** 21)}",`))),
      '',
    ]);
  });

  test('verify.py agrees with the TypeScript verifier on nearly valid lines', async () => {
    const [header, first, second] = LINES as [string, string, string];
    const end = LINES.at(-1)!;
    const withLast = (last: string) => fileOf([...LINES.slice(0, -1), last]);
    const oneEventLines = linesOf(SHORT.slice(0, 1));
    const verdicts = await assertAgreement([
      fileOf(LINES.with(0, header.replace('export-1', 'export-2'))),
      fileOf(LINES.with(0, header.replace(/"installation":"[^"]*"/, '"installation":null'))),
      fileOf([header.replace('"exported_at"', '"exported_At"'), ...LINES.slice(1)]),
      ...['true', '0', '-1', '"1"', '1.5', '9007199254740992'].flatMap((position) => [
        fileOf(LINES.with(1, first.replace('"position":1', `"position":${position}`))),
        fileOf(oneEventLines.with(-1, oneEventLines.at(-1)!.replace('"position":1', `"position":${position}`))),
        fileOf(oneEventLines.with(-1, oneEventLines.at(-1)!.replace('"size":1', `"size":${position}`))),
      ]),
      ...['-1', '9007199254740992', 'false'].map((revision) =>
        fileOf(LINES.with(1, first.replace('"revision":0', `"revision":${revision}`))),
      ),
      ...['1', 'false', '"true"'].map((value) => withLast(end.replace('"end":true', `"end":${value}`))),
      withLast(end.replace('"root":', '"roots":')),
      fileOf(LINES.with(2, second.replace(/"hash":"[^"]*"/, '"hash":null'))),
      fileOf(LINES.with(2, second.replace(/"salt":"[^"]*"/, '"salt":7'))),
      fileOf(
        LINES.with(
          2,
          second.replace(/"hash":"[^"]*"/, (hash) => hash.toUpperCase().replace('HASH', 'hash')),
        ),
      ),
      ...['{}', ' ', '7', '\r', `${second}`, `${end}\r`].map((rest) => fileOf(LINES.slice(0, -1)) + rest),
      `${fileOf(LINES)} `,
      `\ufeff${fileOf(LINES)}`,
      fileOf(LINES).replaceAll('\n', '\r\n'),
    ]);
    assert.ok(verdicts.every((verdict) => verdict === null || verdict.event_fault || verdict.export_fault));
  });

  test('verify.py agrees with the TypeScript verifier on invalid signatures and keys', async () => {
    const KEYS = ['01', 'ee'].flatMap((low) => ['00', 'ff'].map((rest) => `${low}${rest.repeat(30)}`));
    const texts = ['A===', 'AAAAA===', '=', '', 'ü', `${FIRST_KEY.public_key}=`].map((signature) => {
      const history = new SealedHistory();
      history.introduce(FIRST_KEY);
      history.seal(FIRST_KEY);
      const { data } = history.events.at(-1)!;
      history.appendFact({ type: 'LogSealed', data: { ...data, size: 2, signature } as unknown as LogSealed });
      return fileOf(linesOf(history.events));
    });
    const weakKeyTexts = KEYS.flatMap((start) =>
      ['00', '7f', '80', 'ff'].map((last) => {
        const raw = Buffer.from(`${start}${last}`, 'hex');
        const history = new SealedHistory();
        history.introduce(FIRST_KEY);
        history.seal(FIRST_KEY);
        // With a key of small order, this signature is valid for every text.
        const signature = Buffer.concat([Buffer.from(`58${'66'.repeat(31)}`, 'hex'), Buffer.of(1), Buffer.alloc(31)]);
        const data = { key_id: keyIdOf(raw), public_key: raw.toString('base64'), previous_seal: history.lastSeal };
        history.appendFact({ type: 'SealKeyReplaced', data: { ...data, signature: signature.toString('base64') } });
        return fileOf(linesOf(history.events));
      }),
    );
    await assertAgreement([...texts, ...weakKeyTexts]);
  });

  test('verify.py agrees with the TypeScript verifier on unusual numbers and texts', async () => {
    const next = numbers(9);
    const odd = [
      0,
      -1,
      1e21,
      1e20,
      123456789012345680000,
      1e-6,
      1e-7,
      1.5e-7,
      5e-324,
      1.7976931348623157e308,
      2 ** 53,
      2 ** 53 + 2,
    ];
    const doubles = Array.from({ length: 300 }, () => {
      const value = Buffer.from(Array.from({ length: 8 }, () => Math.floor(next() * 256))).readDoubleBE();
      return Number.isFinite(value) ? value : 1 / 3;
    });
    const decimals = Array.from({ length: 100 }, () => Math.round(next() * 1e6) / 10 ** Math.floor(next() * 9));
    const history = new SealedHistory();
    history.append('vendor-1', 'Happened', { numbers: [...odd, ...doubles, ...decimals] });
    const texts = Array.from({ length: 0x250 }, (_, code) => String.fromCodePoint(code)).concat(
      '\u2028',
      '\ufeff',
      '😀',
      '\ufb33',
    );
    history.append('vendor-1', 'Happened', Object.fromEntries(texts.map((text) => [`${text}${text}`, text])));
    history.introduce(FIRST_KEY);
    history.seal(FIRST_KEY);
    const [verdict] = await assertAgreement([fileOf(linesOf(history.events))]);
    assert.equal(verdict, {
      event_fault: null,
      seal_fault: null,
      export_fault: null,
      proved: 3,
      events: 4,
      recorded_out_of_order: [],
    });
    const line = linesOf(history.events)[1]!;
    const spellings = [
      '1.0',
      '1e5',
      '10000000000000000000000',
      '-0',
      '0.0000001',
      '9007199254740993',
      '1e400',
      '-',
      'Infinity',
      '0x1',
    ];
    const respelled = spellings.map((text) =>
      fileOf(linesOf(history.events).with(1, line.replace('"numbers":[0,', `"numbers":[${text},`))),
    );
    assert.equal(await assertAgreement(respelled), Array(respelled.length).fill(null));
  });

  test('verify.py gives the same notices as the TypeScript verifier', async () => {
    const [forged, ...times] = await assertAgreement(
      [FORGED_TIMES, ...FORGED_TIMES.map((time) => [time])].map((list) => fileOf(linesOf(forgedHistory(list).events))),
    );
    assert.is(forged?.event_fault, null);
    assert.ok(forged!.recorded_out_of_order.length > 2);
    assert.ok(times.every((verdict) => verdict!.recorded_out_of_order.length > 0));
    const path = join(mkdtempSync(join(tmpdir(), 'veritrail-python-')), 'forged.jsonl');
    writeFileSync(path, fileOf(linesOf(forgedHistory(['2025-03-01T00:00:00.000Z']).events)));
    assert.match(python([PROGRAM, path, KEY]).stdout, /"position 4, recorded at 2025-03-01T00:00:00.000Z, after /);
    rmSync(path);
  });

  test('verify.py exits with 0, 1 or 2 and reads gzip files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'veritrail-python-'));
    const path = join(folder, 'export.jsonl.gz');
    const run = (text: string) => {
      writeFileSync(path, gzipSync(text));
      const { status, stdout } = python([PROGRAM, path, KEY]);
      return [status, stdout.startsWith('{')];
    };
    assert.equal(run(fileOf(LINES)), [0, true]);
    assert.equal(run(fileOf(linesOf(insider.editData(SHORT, 20)))), [1, true]);
    assert.equal(run('something else\n'), [2, false]);
    assert.is(python([PROGRAM, join(folder, 'absent'), KEY]).status, 2);
    const gzipped = gzipSync(fileOf(LINES));
    for (const [bytes, status, output] of [
      [gzipped.subarray(0, -4), 1, /CUT/],
      [gzipped.subarray(0, -1000), 1, /CUT/],
      [Buffer.concat([gzipped.subarray(0, 2000), Buffer.alloc(500), gzipped.subarray(2500)]), 2, /not an export/],
      [Buffer.concat([gzipped, Buffer.alloc(1), gzipSync('more')]), 2, /not an export/],
    ] as const) {
      writeFileSync(path, bytes);
      const result = python([PROGRAM, path, KEY]);
      assert.equal([result.status, output.test(result.stdout)], [status, true], result.stdout);
    }
    assert.ok(readFileSync(PROGRAM, 'utf8').split('\n').length <= 181, 'at most 180 lines');
    rmSync(folder, { recursive: true });
  });

  test.run();
}

if (python(['--version']).status === 0) tests();
else console.log('skipped: python3 is not installed');
