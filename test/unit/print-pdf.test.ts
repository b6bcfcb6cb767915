import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientGone, HttpError } from '../../src/http/http-errors.ts';
import { createPrinter } from '../../src/http/print-pdf.ts';
import { rejection } from '../support/take.ts';

const test = suite('the printer');

/** Ends at once with an error of its own, so that it is seen whether it was started. */
const BROWSER = process.execPath;
const STARTED = /^Chromium ended with/;
const stay = () => undefined;
const leave = () => {
  throw new ClientGone();
};

test('starts no browser for a client that has gone when its turn comes', async () => {
  const printer = createPrinter(BROWSER);
  const asked: string[] = [];
  const first = rejection(printer.print('<p>1</p>', () => void asked.push('first')));
  const gone = rejection(printer.print('<p>2</p>', leave));
  const last = rejection(printer.print('<p>3</p>', () => void asked.push('last')));
  assert.match(((await first) as Error).message, STARTED);
  assert.instance(await gone, ClientGone);
  assert.match(((await last) as Error).message, STARTED);
  assert.equal(asked, ['first', 'last']);
});

test('lets so many wait, and tells the others to come back', async () => {
  const printer = createPrinter(BROWSER);
  const waiting = Array.from({ length: 8 }, () => rejection(printer.print('', leave)));
  const refused = (await rejection(printer.print('', stay))) as HttpError;
  assert.equal([refused instanceof HttpError, refused.status], [true, 503]);
  await Promise.all(waiting);
  assert.match(((await rejection(printer.print('', stay))) as Error).message, STARTED);
});

test.run();
