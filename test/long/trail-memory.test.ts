import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyExport } from '../../src/trail/index.ts';
import { bytesInUse, streamedBytes } from '../support/mcp/streamed.ts';
import { rounds } from '../support/run/rounds.ts';
import { FIRST_KEY, publicOf } from '../support/trail/sealed-history.ts';

const MIB = 1024 * 1024;
const CHARACTERS = 250_000;
const EVENTS = rounds(5_000, 20_000);

const test = suite('a large file');

test(`verifying a file of ${(EVENTS * CHARACTERS) / 1e9} GB takes no more memory than a small one`, async () => {
  const used: number[] = [];
  const timeOf = (line: number) => {
    if (line % (EVENTS / 4) === EVENTS / 10) used.push(bytesInUse());
  };
  const verdict = await verifyExport(streamedBytes(EVENTS, CHARACTERS, timeOf), { keys: [publicOf(FIRST_KEY)] });
  assert.equal([verdict.valid, verdict.events], [true, EVENTS]);
  assert.ok(Math.max(...used) - used[0]! < 16 * MIB, JSON.stringify(used));
});

test.run();
