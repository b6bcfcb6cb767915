import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Refusal } from '../../../src/commands/engine/refusal.ts';
import { createPdfPrinter } from '../../../src/http/files/pdf-printer.ts';
import { SpooledFiles } from '../../../src/http/files/spooled-files.ts';
import { ClientGone } from '../../../src/http/http-errors.ts';
import { rejection } from '../../support/run/take.ts';

const test = suite('the PDF printer');

/** A program that exits immediately with a recognizable error, which shows that it was started. */
const BROWSER = process.execPath;
const STARTED = /^Chromium ended with/;
const NOT_ABORTED = new AbortController().signal;
const OWNER = { account_id: 'acc_1', token_id: null };

test('starts no browser, and reads no page, for a client that disconnected while it waited', async () => {
  const printer = createPdfPrinter(BROWSER, new SpooledFiles('unused'));
  const pages: string[] = [];
  const print = (page: string, signal = NOT_ABORTED) =>
    rejection(
      printer.print(
        OWNER,
        async () => {
          pages.push(page);
          return page;
        },
        signal,
      ),
    );
  const client = new AbortController();
  const first = print('<p>1</p>');
  const cancelled = print('<p>2</p>', client.signal);
  const last = print('<p>3</p>');
  client.abort(new ClientGone());
  assert.match(((await first) as Error).message, STARTED);
  assert.instance(await cancelled, ClientGone);
  assert.match(((await last) as Error).message, STARTED);
  assert.equal(pages, ['<p>1</p>', '<p>3</p>']);
});

test('prints another account’s page after one page at most, and refuses an account whose two pages wait', async () => {
  const printer = createPdfPrinter(BROWSER, new SpooledFiles('unused'));
  const printed: string[] = [];
  const print = (account_id: string, page: string) =>
    rejection(
      printer.print(
        { account_id, token_id: page },
        async () => {
          printed.push(page);
          return page;
        },
        NOT_ABORTED,
      ),
    );
  const greedy = ['a1', 'a2', 'a3', 'a4'].map((page) => print('acc_a', page));
  const other = print('acc_b', 'b1');
  assert.is(((await greedy[3]) as Refusal).code, 'rate_limited');
  assert.match(((await other) as Error).message, STARTED);
  await Promise.all(greedy);
  assert.equal(printed, ['a1', 'a2', 'b1', 'a3']);
});

test.run();
