/** The package that `npm pack` makes, installed and run: compiled code, without TypeScript and its loader. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as trail from '../../src/trail/index.ts';
import { sdkClient } from '../support/mcp/mcp-client.ts';
import { type PackedProject, packProject } from '../support/run/packed.ts';
import { startService } from '../support/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_VERSION_CPU_MS = 300;
const VERSION_RUNS = 5;

const test = suite<{ packed: PackedProject; bin: string }>('package');

test.before((context) => {
  context.packed = packProject();
  context.bin = join(context.packed.root, 'bin/veritrail.js');
});
test.after(({ packed }) => packed.remove());

test('the package holds compiled code, the command and the documents, and no sources or tests', ({
  packed: { root },
}) => {
  assert.equal(readdirSync(root).sort(), [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'bin', 'dist', 'docs', 'node_modules', 'package.json'],
  ]);
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
  assert.equal(
    files.filter((file) => /\.tsx?$/.test(file) && !/^trail\/.*\.d\.ts$/.test(file)),
    [],
  );
  const unpublished = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:css|js|json|svg)$/.test(file),
  );
  assert.ok(unpublished.length >= 9);
  for (const file of [...unpublished, 'web/assets/verify.js']) assert.ok(files.includes(file), file);
  assert.not(files.some((file) => file.startsWith('browser/')));
});

test('veritrail --version takes at most 0.3 s of CPU', ({ packed, bin }) => {
  // Only the fastest run counts, because other programs slow the others down.
  const runs = Array.from({ length: VERSION_RUNS }, () => {
    const report = "process.on('exit', () => console.error(process.cpuUsage().user + process.cpuUsage().system))";
    const args = ['--import', `data:text/javascript,${report}`, bin, '--version'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: packed.folder, encoding: 'utf8' });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    assert.is(stdout, `${version}\n`);
    return Number(stderr) / 1000;
  });
  assert.ok(Math.min(...runs) < MAX_VERSION_CPU_MS, `${runs.join(', ')} ms`);
});

test('the installed package serves MCP, pages, the framework library and reports', async ({ bin }) => {
  const service = await startService({}, ['start'], [bin]);
  const client = await sdkClient(service.url, service.token);
  try {
    const call = async (name: string, args: object) => {
      const answer = await client.callTool({ name, arguments: { organization_id: service.organizationId, ...args } });
      assert.not(answer.isError, JSON.stringify(answer.content));
      return answer.structuredContent as Record<string, { name: string }>;
    };
    const { vendor } = await call('addVendor', { name: 'Fjord Hosting' });
    assert.is(vendor!.name, 'Fjord Hosting');
    const { framework } = await call('addFramework', { library_id: 'GDPR' });
    assert.match(framework!.name, /General Data Protection/);
    const style = /\/assets\/page\.css\?v=\w+/.exec(await (await fetch(`${service.url}/sign-in`)).text())![0];
    assert.is((await fetch(service.url + style)).status, 200);
  } finally {
    await client.close();
    await service.stop();
  }
});

test('stack traces name the files of src/', ({ packed }) => {
  const script = `
    import { runProgram } from ${JSON.stringify(join(packed.root, 'bin/program.js'))};
    await runProgram('cli');
    const { verifyExport } = await import('veritrail/trail');
    await verifyExport(null).catch((error) => console.error(error.stack));`;
  const args = ['--input-type=module', '--eval', script];
  const { stderr } = spawnSync(process.execPath, args, { cwd: packed.folder, encoding: 'utf8' });
  assert.match(stderr, /\/src\/trail\/[\w/-]+\.ts:\d+:\d+/);
});

test('several commands run at the same time', ({ packed, bin }) => {
  const help = execFileSync(process.execPath, [bin, 'token', 'create', '--help'], { cwd: packed.folder });
  assert.match(String(help), /^Usage: veritrail token create/);
});

test('the package exports veritrail/trail, with types', async ({ packed }) => {
  const program = join(packed.folder, 'program.mts');
  const text = `import { type Verdict, verifyExport } from 'veritrail/trail';
const verify: (...args: Parameters<typeof verifyExport>) => Promise<Verdict> = verifyExport;
console.log(Object.keys(await import('veritrail/trail')).sort().join(), typeof verify);
`;
  writeFileSync(program, text);
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const options = ['--ignoreConfig', '--strict', '--module', 'nodenext', '--types', 'node'];
  options.push('--typeRoots', join(ROOT, 'node_modules/@types'));
  const typeCheck = spawnSync(process.execPath, [tsc, ...options, program], { cwd: packed.folder, encoding: 'utf8' });
  assert.is(typeCheck.status, 0, typeCheck.stdout);
  const printed = execFileSync(process.execPath, [program.replace(/mts$/, 'mjs')], { encoding: 'utf8' });
  assert.is(printed, `${Object.keys(trail).sort()} function\n`);
  assert.not(existsSync(join(packed.root, 'src')));
});

test.run();
