/** Files that share a process have separate results, and none continues into the next. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodeIn, readOutcome } from '../support/run/outcome.ts';

const LANE = fileURLToPath(new URL('../support/run/lane.ts', import.meta.url));

interface Context {
  folder: string;
  child: ChildProcess;
  output: string;
  /** Runs a file with this text. Returns passed tests, failed tests, and the exit code that it would have ended with. */
  runText(test: string): Promise<unknown[]>;
  exit: Promise<unknown[]>;
}

const test = suite<Context>('files in one process');

test.before.each((context) => {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-lane-'));
  const child = spawn(process.execPath, ['--import', 'tsx', LANE], { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exit = once(child, 'close');
  let files = 0;
  const runText = async (body: string) => {
    const file = join(folder, `${++files}.mjs`);
    writeFileSync(file, `import { suite } from '${import.meta.resolve('uvu')}';\n${body}`);
    output = '';
    child.send(file);
    const ended = exit.then(([code]) => code as number | null);
    let code: number | null = null;
    while (code === null && child.signalCode === null) {
      code = await Promise.race([once(child.stdout!, 'data').then(() => exitCodeIn(output)), ended]);
    }
    const { passed, failed } = readOutcome(output, code);
    return [passed, failed, code];
  };
  Object.assign(context, { folder, child, runText, exit });
});

test.after.each(async ({ folder, child, exit }) => {
  if (child.connected) child.send('');
  await exit;
  rmSync(folder, { recursive: true });
});

const GOOD = "const one = suite('one'); one('holds', () => {}); one.run();";
const BAD = "const one = suite('one'); one('breaks', () => { throw new Error('broken'); }); one.run();";

test('each file has its own totals and its own exit code', async ({ runText }) => {
  assert.equal(await runText(`${GOOD}\nconst two = suite('two'); two('holds', () => {}); two.run();`), [2, 0, 0]);
  assert.equal(await runText(BAD), [0, 1, 1]);
  assert.equal(await runText(GOOD), [1, 0, 0]);
  assert.equal(await runText('suite;'), [0, 1, 0], 'no test ran');
});

test('a file ends when no handle keeps the process alive', async ({ runText }) => {
  const script = "setTimeout(() => console.log('\\n  Total:     1\\n  Passed:    1'), 50);";
  assert.equal(await runText(`${GOOD}\n${script}`), [2, 0, 0]);
});

test('a file that fails and leaves something open ends the process', async ({ runText }) => {
  assert.equal(await runText(`setInterval(() => {}, 1_000);\n${BAD}`), [0, 1, 1]);
});

test('a test that never ends and an error after the last test are failures', async ({ runText }) => {
  const hanging = "const one = suite('one'); one('waits', () => new Promise(() => {})); one.run();";
  assert.equal(await runText(hanging), [0, 1, 0]);
  const script = "setTimeout(() => { throw new Error('late'); }, 50);";
  assert.equal(await runText(`${GOOD}\n${script}`), [1, 1, 1]);
});

test('a file that cannot be loaded ends the process, which is a failure', async ({ runText }) => {
  assert.equal(await runText("throw new Error('at once');"), [0, 1, 1]);
});

test.run();
