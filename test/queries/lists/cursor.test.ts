import { createHmac } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CursorKey } from '../../../src/queries/lists/cursor.ts';

const SECRET = Buffer.alloc(32, 7);
const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('base64url').slice(0, 22);

test('sign a text as HMAC does, the first time and again', () => {
  const key = new CursorKey(SECRET);
  for (const text of ['a', 'b', 'a', '', '']) assert.is(key.sign(text), hmac(text));
});

test('sign with the own secret', () => {
  const other = new CursorKey(Buffer.alloc(32, 8));
  assert.is.not(other.sign('a'), new CursorKey(SECRET).sign('a'));
});

test.run();
