import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../../src/projections/models.ts';

const test = suite('models');
const FIXTURE = new URL('../fixtures/projections-version.json', import.meta.url);

test('a change of keys, indexes or members has another version, so that read models are rebuilt', () => {
  const recorded = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { version: number; sha256: string };
  const sha256 = createHash('sha256').update(JSON.stringify(COLLECTIONS)).digest('hex');
  const now = JSON.stringify({ version: PROJECTIONS_VERSION, sha256 });
  if (sha256 !== recorded.sha256)
    assert.ok(PROJECTIONS_VERSION > recorded.version, 'raise PROJECTIONS_VERSION in src/projections/models.ts');
  assert.is(JSON.stringify(recorded), now, `write ${now} to test/fixtures/projections-version.json`);
});

test.run();
