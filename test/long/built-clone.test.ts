/** A clone on a server, set up as docs/operations.md says: built, without TypeScript's loader and compiler. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejectionError } from '../support/identity/identity.ts';
import { buildClone } from '../support/run/packed.ts';
import { startService } from '../support/service.ts';

const test = suite<ReturnType<typeof buildClone>>('a built clone');

test.before((context) => void Object.assign(context, buildClone()));
test.after(({ remove }) => remove());

/** Returns the command lines of a process's children. */
function childrenOf(pid: number): string[] {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => Number.parseInt(line, 10) === pid);
}

test('runs without a process that compiles', async ({ root }) => {
  assert.not(existsSync(join(root, 'node_modules/tsx')), 'no package for development');
  const service = await startService({}, [], [join(root, 'bin/service.js')]);
  const assets = await (await fetch(`${service.url}/sign-in`)).text();
  assert.match(assets, /\/assets\/page\.css/);
  assert.equal(childrenOf(service.pid), []);
  await service.stop();
});

test('refuses to run old code after an update, and says how to build', async ({ root }) => {
  appendFileSync(join(root, 'src/main.ts'), '\n');
  const error = await rejectionError(startService({}, [], [join(root, 'bin/service.js')]));
  assert.match(error.message, 'npm ci && npm run build && npm prune --omit=dev');
});

test.run();
