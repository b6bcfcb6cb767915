import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ReferenceReader, readOncePerCall } from '../../../src/commands/engine/references.ts';
import type { StreamState } from '../../../src/commands/engine/stream-state.ts';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { ORGANIZATION } from '../../support/register.ts';
import { rejection } from '../../support/run/take.ts';

const aggregate = organizationAggregate(ORGANIZATION);
const test = suite('references of one call');

/** Returns a reader that counts its reads, and fails the first ones. */
function countingReader(failures: number) {
  const reader = {
    reads: 0,
    now: () => new Date(),
    load: async () => {
      reader.reads += 1;
      if (reader.reads <= failures) throw new StoreUnavailable('down');
      return { state: null, revision: -1 } as unknown as StreamState<object>;
    },
  };
  return reader as typeof reader & ReferenceReader;
}

test('commands of a call share the read of a stream', async () => {
  const reader = countingReader(0);
  const shared = readOncePerCall(reader);
  await Promise.all([shared.load(aggregate, true), shared.load(aggregate, true)]);
  await shared.load(aggregate, true);
  assert.is(reader.reads, 1);
});

test('a stream whose read failed is read again', async () => {
  const reader = countingReader(1);
  const shared = readOncePerCall(reader);
  assert.instance(await rejection(shared.load(aggregate, true)), StoreUnavailable);
  await shared.load(aggregate, true);
  assert.is(reader.reads, 2);
});

test.run();
