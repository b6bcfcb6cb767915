import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asRefusal, type Refusal } from '../../src/commands/engine/refusal.ts';
import { toHttpError, toHttpRefusal } from '../../src/http/http-errors.ts';
import { DiskFull, StoreReplaced, StoreUnavailable } from '../../src/stores/errors.ts';

const test = suite('errors of stores as answers');

const bodyOf = (error: unknown) => (toHttpError(error).toJSON() as { error: Record<string, unknown> }).error;

test('a full disk is told to every caller, who may repeat the call', () => {
  const error = new DiskFull('the disk of the embedded store is full');
  for (const thrown of [error, asRefusal(error)]) {
    const { status, headers } = toHttpError(thrown);
    assert.equal([status, headers], [503, { 'Retry-After': '30' }]);
    const { code, message, retryable } = bodyOf(thrown);
    assert.equal([code, retryable], ['unavailable', true]);
    assert.match(String(message), /^The service's disk is full, so nothing was written\./);
  }
});

test('a replaced store is told to every caller, who had better not repeat the call', () => {
  const error = new StoreReplaced('The file events.db was replaced.');
  const refusal = asRefusal(error) as Refusal;
  assert.equal([refusal.code, refusal.toJSON().retryable], ['unavailable', false]);
  for (const answer of [toHttpError(error), toHttpError(refusal), toHttpRefusal(error)]) {
    const { status, headers, message } = answer as ReturnType<typeof toHttpError>;
    assert.equal([status, headers], [503, {}]);
    assert.match(message, /were replaced while it was running/);
    assert.not.match(message, /events\.db/, 'no file is named to callers');
  }
  assert.is(bodyOf(error).retryable, false);
});

test('a store that does not answer names no cause', () => {
  const error = new StoreUnavailable('connect ECONNREFUSED 10.0.0.1');
  assert.equal(
    [bodyOf(error).message, bodyOf(error).retryable],
    ['The service cannot reach its data at the moment. Try again shortly.', true],
  );
});

test.run();
