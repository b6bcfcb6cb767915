import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPdfPrinter } from '../../../src/http/files/pdf-printer.ts';
import { ClientGone, HttpError } from '../../../src/http/http-errors.ts';
import { rejection } from '../../support/run/take.ts';

const test = suite('the PDF printer');

/** A program that exits immediately with a recognizable error, which shows that it was started. */
const BROWSER = process.execPath;
const STARTED = /^Chromium ended with/;
const NOT_ABORTED = new AbortController().signal;
const ABORTED = AbortSignal.abort(new ClientGone());

test('starts no browser for a client that disconnected while it waited', async () => {
  const printer = createPdfPrinter(BROWSER);
  const checkedTexts: string[] = [];
  const signal = (name: string) =>
    ({
      throwIfAborted() {
        checkedTexts.push(name);
      },
    }) as unknown as AbortSignal;
  const first = rejection(printer.print('<p>1</p>', signal('first')));
  const cancelled = rejection(printer.print('<p>2</p>', ABORTED));
  const last = rejection(printer.print('<p>3</p>', signal('last')));
  assert.match(((await first) as Error).message, STARTED);
  assert.instance(await cancelled, ClientGone);
  assert.match(((await last) as Error).message, STARTED);
  assert.equal(checkedTexts, ['first', 'last']);
});

test('lets eight requests wait, and answers further ones 503', async () => {
  const printer = createPdfPrinter(BROWSER);
  const waiting = Array.from({ length: 8 }, () => rejection(printer.print('', ABORTED)));
  const refusal = (await rejection(printer.print('', NOT_ABORTED))) as HttpError;
  assert.equal([refusal instanceof HttpError, refusal.status], [true, 503]);
  await Promise.all(waiting);
  assert.match(((await rejection(printer.print('', NOT_ABORTED))) as Error).message, STARTED);
});

test.run();
