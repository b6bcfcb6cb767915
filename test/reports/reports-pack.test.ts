/** Compares an audit pack with the naive register after the same events. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { naiveAt, naivePack, naiveStatementFigures } from '../support/histories/naive-reports.ts';
import { completeAudit } from '../support/histories/pack-year.ts';
import type { Item, Result, ToolCaller } from '../support/mcp/mcp-client.ts';
import { ORGANIZATION, startRegister, type TestRegister } from '../support/register.ts';
import { figuresOf, reportCaller, rowsOf, textOfReport, type WholeReport, wholeReport } from '../support/reports.ts';
import { allEvents } from '../support/trail/sealing.ts';

const test = suite<{ register: TestRegister; owner: ToolCaller }>('an audit’s pack');

test.before.each(async (context) => {
  const register = await startRegister();
  const owner: ToolCaller = {
    async ok(tool, args = {}) {
      const answer = await register.call(tool, args);
      assert.is(answer.error, undefined, `${tool}: ${JSON.stringify(answer.error)}`);
      return answer as unknown as Result;
    },
  };
  Object.assign(context, { register, owner });
});
test.after.each(({ register }) => register.stop());

/** Returns a row's id. For evidence, adds the ids of the records that it is attached to. */
const rowText = ({ id, records }: Record<string, unknown>): string => {
  const recordIds = (records as { id: string }[] | undefined)?.map((record) => record.id).sort();
  return recordIds === undefined ? String(id) : `${id} of ${recordIds}`;
};

async function assertEqualsNaive({ stores }: TestRegister, pack: WholeReport): Promise<void> {
  const register = naiveAt(await allEvents(stores.events), Number(pack.position));
  const [audit] = register.ofType('AUDIT').filter(({ id }) => id === (pack.inputs as { audit_id: string }).audit_id);
  for (const [section, ids] of Object.entries(naivePack(register, audit!))) {
    assert.ok(ids.length > 0, `the pack has no rows in ${section}`);
    assert.equal(rowsOf(pack, section).map(rowText).sort(), ids, section);
  }
  const { changes, records_changed, actors, ...figures } = figuresOf(pack);
  assert.equal(figures, naiveStatementFigures(register, String(audit!.fields.framework_id)));
  assert.equal([changes! > 0, records_changed! > 0, actors], [true, true, 1]);
}

test('an audit pack equals the naive register', async ({ register, owner }) => {
  const audit_id = await completeAudit(owner, ORGANIZATION);
  await assertEqualsNaive(
    register,
    await wholeReport(reportCaller(owner, ORGANIZATION), { type: 'AUDIT_PACK', audit_id }),
  );
});

test('a pack in Markdown begins with a page without rows, and every later page has rows', async ({ owner }) => {
  const audit_id = await completeAudit(owner, ORGANIZATION);
  const getReport = reportCaller(owner, ORGANIZATION);
  const { pages, digest } = await textOfReport(getReport, { type: 'AUDIT_PACK', audit_id });
  const whole = await wholeReport(getReport, { type: 'AUDIT_PACK', audit_id });
  assert.is(digest, whole.digest);
  const [first, ...others] = pages;
  assert.match(first!, '## Figures');
  assert.match(first!, digest);
  assert.match(first!, /More rows: 1 of Audit, \d+ of /);
  assert.ok(first!.length < 5_000, `${first!.length} characters`);
  assert.not.match(first!, '## Audit');
  assert.ok(others.length > 0);
  assert.match(others[0]!, '## Audit');
  for (const page of others) {
    assert.not.match(page, '## Figures');
    assert.match(page, ', continued');
  }
});

test('an audit pack equals the naive register if the framework was archived before', async ({ register, owner }) => {
  const audit_id = await completeAudit(owner, ORGANIZATION);
  await owner.ok('updateAudit', { id: audit_id, state: 'IN_PROGRESS', reason: 'a finding was missed' });
  const { frameworks } = (await owner.ok('listFrameworks', { organization_id: ORGANIZATION })) as unknown as {
    frameworks: Item[];
  };
  await owner.ok('archiveRecords', { ids: [frameworks[0]!.id], action: 'ARCHIVE', reason: 'another one came' });
  await owner.ok('updateAudit', { id: audit_id, state: 'COMPLETED', reason: 'Found out' });
  const pack = await wholeReport(reportCaller(owner, ORGANIZATION), { type: 'AUDIT_PACK', audit_id });
  assert.ok(pack.about.some(({ label }) => label === 'Framework archived'));
  await assertEqualsNaive(register, pack);
});

test.run();
