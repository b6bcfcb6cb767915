import * as assert from 'uvu/assert';
import { type ToolCalls, toolCallsOf } from '../../support/mcp/tool-calls.ts';
import { daysAgo } from '../../support/past.ts';
import { type Answer, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

/* Reviews that leave a record as it is, through the tools: what is due, and what is not any more. */

interface Context extends ToolCalls {
  register: TestRegister;
}

const test = registerSuite<Context>('reviews by the tools', 'ALL', async (register) => {
  return toolCallsOf(register);
});

async function dueKinds({ register }: Context): Promise<string[]> {
  const { report } = await register.call<
    {
      report: { data: { sections: { rows: { what: string }[] }[] } };
    } & Answer
  >('getReport', {
    organization_id: ORGANIZATION,
    type: 'DUE_ITEMS',
    until: daysAgo(0),
    format: 'JSON',
  });
  return report.data.sections.flatMap(({ rows }) => rows.map(({ what }) => what)).sort();
}

test('a measure and a control that are due for review are asked for until they are reviewed', async (context) => {
  const { ok, list } = context;
  const due = { next_review_due: daysAgo(3), review_interval_months: 12 };
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  const { framework } = (await ok('addFramework', {
    organization_id: ORGANIZATION,
    name: 'House rules',
    controls,
  })) as {
    framework: { id: string };
  };
  const control = `ctl_${framework.id.slice(4)}000`;
  await ok('updateControl', { id: control, ...due });
  // Not published, to keep tools/list short.
  const { measure } = (await ok('addMeasure', { organization_id: ORGANIZATION, name: 'Backups', ...due })) as {
    measure: { id: string };
  };
  assert.equal(await dueKinds(context), ['CONTROL_REVIEW', 'MEASURE_REVIEW']);
  const before = { review_due_before: daysAgo(0) };
  assert.is((await list('listMeasures', before)).length, 1);
  assert.is((await list('listControls', before)).length, 1);

  const reviewed = (await ok('updateMeasure', { id: measure.id, reviewed: true, reason: 'It works' })) as Answer & {
    measure: Answer;
  };
  assert.equal(reviewed.event_types, ['MeasureReviewed']);
  assert.ok(String(reviewed.measure.next_review_due) > daysAgo(-364));
  assert.is(String(reviewed.measure.last_reviewed).slice(0, 10), daysAgo(0));
  assert.equal(await dueKinds(context), ['CONTROL_REVIEW']);
  assert.equal(await list('listMeasures', before), []);
  const rows = [{ id: control, reviewed: true }];
  const { error } = await context.register.call<{ error: Answer }>('importRecords', {
    organization_id: ORGANIZATION,
    type: 'CONTROL',
    rows,
  });
  assert.is(error.code, 'invalid_input', 'a row has the fields of a record, and no acts');
});

test.run();
