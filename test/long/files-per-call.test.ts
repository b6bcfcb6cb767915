import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { legacyCall } from '../support/mcp/mcp-client.ts';
import { startHere } from '../support/run/in-process.ts';

const SOURCE = new URL('../../src/', import.meta.url).href;
/** A timer of the service may run during a call, so the smallest of these counts. */
const CALLS = 10;

/**
 * The most files whose functions may run in the main thread for a call: what a reader of that call must pass. Every call
 * passes the guards of its connection, and the organization's ceiling and four eyes; a write also the forms of keys.
 */
const MAX_FILES = { addVendor: 105, listVendors: 60 };

const test = suite('files per call');

test('a call passes through no more files than it must', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-files-'));
  const service = await startHere({ DATA_DIR: folder });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const surplus: string[] = [];
  for (const tool of Object.keys(MAX_FILES) as (keyof typeof MAX_FILES)[]) {
    const runs: string[][] = [];
    for (let call = 0; call < CALLS; call++) {
      await filesRun(session);
      const args = tool === 'addVendor' ? { name: `Vendor ${call}`, criticality: 'HIGH' } : {};
      assert.not((await legacyCall(service.url, service.token, tool, args)).isError);
      runs.push(await filesRun(session));
    }
    const files = runs.reduce((least, run) => (run.length < least.length ? run : least));
    console.log(`${tool}: ${files.length} files`);
    if (files.length > MAX_FILES[tool]) surplus.push(tool, ...files);
  }
  session.disconnect();
  await service.stop();
  rmSync(folder, { recursive: true });
  assert.equal(surplus, [], 'calls that pass through more files, and their files');
});

/** Returns the files of the service whose functions ran since the last call. The code of a module itself is no function. */
async function filesRun(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith(SOURCE) && functions.some(hasRun))
    .map(({ url }) => fileURLToPath(url).slice(fileURLToPath(SOURCE).length))
    .sort();
}

type CoveredFunction = { functionName: string; ranges: { startOffset: number; count: number }[] };
const hasRun = ({ functionName, ranges: [range] }: CoveredFunction): boolean =>
  range!.count > 0 && (functionName !== '' || range!.startOffset > 0);

test.run();
