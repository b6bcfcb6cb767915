import { MongoServerError } from 'mongodb';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreRefused, StoreUnavailable } from '../../../src/stores/errors.ts';
import { translateErrors } from '../../../src/stores/mongodb/translate-errors.ts';
import { rejection } from '../../support/run/take.ts';

const test = suite('errors of MongoDB');

const failing = (error: Error) => rejection(translateErrors(() => Promise.reject(error)));

test('a missing right and wrong credentials are refusals, which repeating cannot help', async () => {
  for (const [code, finding] of [
    [13, /no right/],
    [18, /user or password/],
  ] as const) {
    const cause = new MongoServerError({ message: 'denied', code });
    const error = (await failing(cause)) as StoreRefused;
    assert.instance(error, StoreRefused);
    assert.match(error.finding, finding);
    assert.equal([error.ambiguous, error.cause], [false, cause]);
  }
});

test('any other error of the server is an outage', async () => {
  const error = await failing(new MongoServerError({ message: 'not primary', code: 10_107 }));
  assert.instance(error, StoreUnavailable);
  assert.not.instance(error, StoreRefused);
});

test.run();
