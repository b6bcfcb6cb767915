/** The hints that tools publish, compared with the effect of a repeated call. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { runExamples } from '../support/mcp/examples.ts';
import { legacyCall } from '../support/mcp/mcp-client.ts';
import { embeddedPair, type ServedPair, serve } from '../support/stores/pairs.ts';

const RECORD_TYPES = FAMILY_DESCRIPTIONS.map(({ type }) => type);

/** Tools whose example changes nothing if it is repeated on the same day, though another repeated call can: a review. */
const NOT_REPEATABLE_LATER = ['updateRisk', 'updateMeasure', 'updateControl', 'updateObligation', 'importRecords'];

const test = suite<ServedPair>('hints');

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
});
test.after((served) => served.close());

/** Runs all examples, each twice. @returns the tools whose second call changed records */
async function toolsThatChangeMore({ owner, url, token, organizationId }: ServedPair): Promise<string[]> {
  const countChanges = async () => {
    const filter = { record_types: RECORD_TYPES };
    return (await owner.ok('listChanges', { organization_id: organizationId, filter, view: 'COUNT' })).total;
  };
  const names: string[] = [];
  await runExamples(ALL_TOOLS, async (tool, input) => {
    const answer = await owner.ok(tool, input);
    const changes = await countChanges();
    const { isError, result } = await legacyCall(url, token, tool, input);
    if (isError) assert.is((result.error as { code: string }).code, 'invalid_transition', tool);
    if ((await countChanges()) !== changes) names.push(tool);
    return { ...answer };
  });
  return names;
}

test('idempotentHint tells if the same call again changes more', async (served) => {
  const changeMore = await toolsThatChangeMore(served);
  for (const { name, readOnly, idempotent } of ALL_TOOLS) {
    if (NOT_REPEATABLE_LATER.includes(name)) assert.not(idempotent, name);
    else assert.is(changeMore.includes(name), !readOnly && !idempotent, name);
  }
});

test('an assessment repeated on a later day is a new one, so its tools are not idempotent', async (served) => {
  const { owner, organizationId: organization_id } = served;
  const added = { requirement: 'Keep records', status: 'COMPLIANT', last_review_date: '2025-01-01' };
  const { obligation } = (await owner.ok('addObligation', { organization_id, ...added })) as unknown as {
    obligation: { id: string };
  };
  const repeated = { id: obligation.id, status: 'COMPLIANT' };
  const imported = await owner.ok('importRecords', { organization_id, type: 'OBLIGATION', rows: [repeated] });
  assert.is((imported as unknown as { updated: number }).updated, 1);
});

test.run();
