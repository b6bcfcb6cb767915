/** Tests which generation's read models a query reads. */

import * as assert from 'uvu/assert';
import { familyQueryOfType } from '../../src/queries/family-query.ts';
import { openRecordFile } from '../../src/queries/files/record-file.ts';
import { listRecords } from '../../src/queries/lists/list-records.ts';
import { Reader } from '../../src/queries/moments/snapshot.ts';
import type { ReadModels } from '../../src/stores/read-store.ts';
import { ok } from '../support/controls.ts';
import { callerAs, type TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { withOverrides } from '../support/with-overrides.ts';

const test = registerSuite('a reader', 'EACH');

/** More records than one batch of a file. */
const RISKS = 130;

/** Returns a reader whose generation can be replaced, and the generations whose documents were read, one for each call. */
function replaceableReader({ projections, reader: initialReader }: TestRegister) {
  const generationsRead: string[] = [];
  const generationOf = (name: string): ReadModels => {
    const { models } = projections;
    return withOverrides(models, {
      find: (query) => {
        generationsRead.push(name);
        return models.find(query);
      },
    });
  };
  let models = generationOf('first');
  const reader = new Reader(() => ({ models, progress: projections.progress }), initialReader.snapshot());
  const replace = () => {
    models = generationOf('second');
  };
  return { reader, replace, generationsRead };
}

test('gives one snapshot for each generation', ({ register }) => {
  const { reader, replace } = replaceableReader(register);
  const first = reader.snapshot();
  assert.is(reader.snapshot(), first);
  replace();
  const second = reader.snapshot();
  assert.is.not(second, first);
  assert.is.not(second.models, first.models);
});

test('a list reads one generation, even if another one is served meanwhile', async ({ register }) => {
  const { reader, replace, generationsRead } = replaceableReader(register);
  const input = { organization_id: register.organizationId, size: 10, view: 'FULL', as_of: '2026-01-01' } as const;
  const listing = listRecords(reader, familyQueryOfType('RISK'), 'listRisks', callerAs(), input);
  replace();
  await listing;
  assert.ok(generationsRead.length > 1);
  assert.equal([...new Set(generationsRead)], ['first']);
});

test('a file continues with the new generation, at the same position', async ({ register }) => {
  const rows = Array.from({ length: RISKS }, (_, index) => ({ name: `Risk ${index}` }));
  await ok(register, 'importRecords', { organization_id: register.organizationId, type: 'RISK', rows });
  const { reader, replace, generationsRead } = replaceableReader(register);
  const input = { organization_id: register.organizationId };
  const { batches } = await openRecordFile(reader, familyQueryOfType('RISK'), callerAs(), input);
  const ids = new Set<unknown>();
  for await (const batch of batches) {
    for (const record of batch as { id: string }[]) ids.add(record.id);
    replace();
  }
  assert.is(ids.size, RISKS);
  assert.equal([...new Set(generationsRead)], ['first', 'second']);
});

test.run();
