import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selectionHash } from '../../../src/tools/selection.ts';
import type { SelectedRecord } from '../../../src/tools/set/select-records.ts';

const record = (id: string, revision: number): SelectedRecord => ({
  type: 'VENDOR',
  id,
  revision,
  name: id,
  reference_id: null,
  set: {},
});

const revisions = fc.dictionary(fc.stringMatching(/^vnd_[0-9A-Z]{4}$/), fc.nat(5), { minKeys: 1 });

test('a hash depends on each id and revision, and on nothing else', () => {
  const property = fc.property(revisions, fc.nat(), (byId, choice) => {
    const records = Object.entries(byId).map(([id, revision]) => record(id, revision));
    const index = choice % records.length;
    const hash = selectionHash(records);
    assert.is(selectionHash(records.toReversed()), hash);
    assert.is(selectionHash(records.map((one) => ({ ...one, name: 'renamed' }))), hash);
    const changed = records.map((one, place) => (place === index ? { ...one, revision: one.revision + 1 } : one));
    assert.is.not(selectionHash(changed), hash);
    assert.is.not(selectionHash(records.filter((_one, place) => place !== index)), hash);
  });
  fc.assert(property);
});

test.run();
