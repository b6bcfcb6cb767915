/** Verifies exports, seals and proofs in Chromium: in a page and in a worker, by the same vectors as in Node.js. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleForBrowser } from '../../bin/browser-bundle.js';
import { streamedBytes } from '../support/mcp/streamed.ts';
import { editedLines, type TrailVectors, type VectorResult } from '../support/trail/check-vectors.ts';
import { FIRST_KEY } from '../support/trail/sealed-history.ts';
import { closeBrowsers, openWindow, startBrowser, type Window } from '../support/web/browser.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VECTORS = JSON.parse(
  readFileSync(new URL('../fixtures/trail-vectors.json', import.meta.url), 'utf8'),
) as TrailVectors;
const KEY = FIRST_KEY.public_key;
const LONG_EVENTS = 20_000;

/** Verifies the file of a message, and answers with the progress and the verdict. */
const WORKER = `
import { verifyExportFile } from '/verify.js';
onmessage = async ({ data: { file, keys } }) => {
  const shares = [];
  const verdict = await verifyExportFile(file, { keys, onProgress: (share) => shares.push(share) });
  postMessage({ verdict, shares });
};`;

const browser = await startBrowser();
if (browser) {
  const test = suite<Window>('verifying in a browser');

  const long: Uint8Array[] = [];
  for await (const piece of streamedBytes(LONG_EVENTS, 200)) long.push(piece);
  const FILES: Record<string, { type: string; content: string | Buffer }> = {
    '/': {
      type: 'text/html',
      content: '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,">',
    },
    '/verify.js': { type: 'text/javascript', content: bundleForBrowser(ROOT, 'src/browser/verify.ts') },
    '/vectors.js': {
      type: 'text/javascript',
      content: bundleForBrowser(ROOT, 'test/support/trail/vectors-in-browser.ts'),
    },
    '/worker.js': { type: 'text/javascript', content: WORKER },
    '/long.jsonl': { type: 'application/octet-stream', content: Buffer.concat(long) },
  };
  const server = createServer((request, response) => {
    const file = FILES[request.url ?? ''];
    // The pages' policy: only scripts of the service itself, and no eval.
    const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:";
    response.writeHead(file ? 200 : 404, { 'Content-Type': file?.type, 'Content-Security-Policy': policy });
    response.end(file?.content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  test.before.each(async (context) => {
    Object.assign(context, await openWindow(browser, base));
    await context.page.goto('/');
  });
  test.after.each(async ({ complaints, close }) => {
    assert.equal(complaints, []);
    await close();
  });

  test('agrees with the vectors', async ({ page }) => {
    const results = await page.evaluate<VectorResult[], TrailVectors>(async (vectors) => {
      const module = '/vectors.js';
      const { checkVectorsInBrowser } = (await import(
        module
      )) as typeof import('../support/trail/vectors-in-browser.ts');
      return checkVectorsInBrowser(vectors);
    }, VECTORS);
    assert.ok(results.length > 60);
    for (const { name, actual, expected } of results) assert.equal(actual, expected, name);
  });

  /** Calls `verifyExportFile` in the page. Returns the verdict's faults, or the error's message. */
  async function verifyInPage(page: Window['page'], bytes: Buffer, abort = false): Promise<unknown> {
    return page.evaluate(
      async ([base64, keys, isAborted]) => {
        const module = '/verify.js';
        const { verifyExportFile } = (await import(module)) as typeof import('../../src/browser/verify.ts');
        const file = new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))]);
        const signal = isAborted ? AbortSignal.abort() : new AbortController().signal;
        return verifyExportFile(file, { keys, signal }).then(
          ({ valid, events, event_fault, export_fault }) => ({
            valid,
            events,
            faults: [event_fault?.why, export_fault?.why].filter((why) => why !== undefined),
          }),
          (error: Error) => `${error.name}: ${error.message}`,
        );
      },
      [bytes.toString('base64'), KEY, abort] as const,
    );
  }

  const { lines, cases } = VECTORS.history;
  const textOf = (name: string) => `${editedLines(lines, cases.find((vector) => vector.name === name)!).join('\n')}\n`;
  const GOOD = textOf('the history as it was exported');
  const ZIPPED = gzipSync(GOOD);
  const isValid = { valid: true, events: 10, faults: [] };

  for (const [what, bytes, expected] of [
    ['a plain export', Buffer.from(GOOD), isValid],
    ['a gzip export', ZIPPED, isValid],
    ['altered data', gzipSync(textOf('altered data')), { valid: false, events: 10, faults: ['ALTERED', 'NO_SEAL'] }],
    [
      'data after the gzip data',
      Buffer.concat([ZIPPED, Buffer.from('more')]),
      { ...isValid, valid: false, faults: ['CUT'] },
    ],
    ['another file', Buffer.from('%PDF-1.7\n'), 'NotAnExport: line 1 is not JSON'],
    ['an empty file', Buffer.alloc(0), 'NotAnExport: line 1 is missing: the file is empty'],
  ] as const) {
    test(`a page verifies a file: ${what}`, async ({ page }) => {
      assert.equal(await verifyInPage(page, bytes), expected);
    });
  }

  test('a page reports a gzip file that breaks off as cut', async ({ page }) => {
    const verdict = (await verifyInPage(page, ZIPPED.subarray(0, -9))) as { valid: boolean; faults: string[] };
    assert.equal([verdict.valid, verdict.faults.at(-1)], [false, 'CUT']);
  });

  test('a page calls a gzip file damaged of which nothing can be unzipped', async ({ page }) => {
    const damaged = Buffer.from(ZIPPED).fill(0xff, 10, 40);
    for (const bytes of [damaged, ZIPPED.subarray(0, 12)]) {
      assert.is(await verifyInPage(page, bytes), 'TypeError: it is damaged: nothing of it can be unzipped');
    }
  });

  test('a page stops when it is aborted', async ({ page }) => {
    assert.match(String(await verifyInPage(page, ZIPPED, true)), /^AbortError/);
  });

  test('a page verifies seals and proofs', async ({ page }) => {
    const { seals, proofs, history } = VECTORS;
    const faults = await page.evaluate(
      async ([seal, proof, organizationId]) => {
        const module = '/verify.js';
        const verify = (await import(module)) as typeof import('../../src/browser/verify.ts');
        const options = { keys: seal.keys.join('\n'), keptSeals: [seal.keptSeal] };
        return [
          verify.verifySealFile(seal.file, options).fault,
          verify.verifyEventProof(proof.proof, organizationId, proof.keys.join('\n')).fault,
        ];
      },
      [seals[0]!, proofs[0]!, history.organizationId] as const,
    );
    assert.equal(faults, [null, null]);
  });

  test(`a worker verifies an export of ${LONG_EVENTS} events and reports the progress`, async ({ page }) => {
    const { verdict, shares } = await page.evaluate(async (keys) => {
      const file = await (await fetch('/long.jsonl')).blob();
      const worker = new Worker('/worker.js', { type: 'module' });
      type Answer = { verdict: { valid: boolean; events: number; unsealed: number }; shares: number[] };
      return new Promise<Answer>((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage({ file, keys });
      });
    }, KEY);
    assert.equal([verdict.valid, verdict.events, verdict.unsealed], [true, LONG_EVENTS, 0]);
    assert.ok(shares.length >= 5, `${shares.length} reports`);
    assert.equal(
      shares,
      [...shares].sort((a, b) => a - b),
    );
    assert.is(shares.at(-1), 1);
  });

  test.after(async () => {
    await closeBrowsers();
    server.close();
  });
  test.run();
}
