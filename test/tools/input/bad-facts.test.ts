import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALL_TOOLS } from '../../../src/tools/all-tools.ts';
import { fullSchema } from '../../../src/tools/schema/json-schema.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { ok } from '../../support/controls.ts';
import { startTwoOrganizations, type TwoOrganizations } from '../../support/identity/two-organizations.ts';
import { kindsIn } from '../../support/ids.ts';
import { placesOf, withValue } from '../../support/mcp/bad-input.ts';
import { assertNames, refusalOf } from '../../support/mcp/refusals.ts';
import { daysAgo } from '../../support/past.ts';

/* Inputs that a tool's schema accepts, but that the register's state makes invalid. */

const test = suite<TwoOrganizations>('inputs that contradict the register');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
});
test.after(({ register }) => register.stop());

const placesIn = ({ input }: Tool) => [...placesOf(fullSchema(input as Parameters<typeof fullSchema>[0]))];

/** Fields with the records that a call changes, as opposed to those it refers to. */
const CHANGED_RECORD_FIELDS = ['id', 'ids', 'organization_id', 'links', 'filter'];

test('an input that names an archived record is refused, with the field', async (context) => {
  const { register, inputsByTool, ourIds } = context;
  let callCount = 0;
  for (const tool of ALL_TOOLS.filter(({ readOnly }) => !readOnly)) {
    const fieldPaths = placesIn(tool).filter(
      ({ path, schema }) => schema.title === 'id' && !CHANGED_RECORD_FIELDS.includes(`${path[0]}`),
    );
    for (const { path, schema } of fieldPaths) {
      const kinds = kindsIn(schema.pattern);
      // A control is archived with its framework.
      const archivedPairs = kinds.map((kind) => [kind, kind]).concat(kinds.includes('ctl') ? [['ctl', 'frm']] : []);
      for (const [namedKind, archivedKind] of archivedPairs as [string, string][]) {
        const archive = { ids: [ourIds.get(archivedKind)], reason: 'gone' };
        await ok(register, 'archiveRecords', { ...archive, action: 'ARCHIVE' });
        const input = withValue(inputsByTool.get(tool.name), path, ourIds.get(namedKind));
        const label = `${tool.name} ${path.join('.')} ${namedKind}`;
        const refusal = await refusalOf(context, tool.name, input, label);
        assertNames(refusal, 'invalid_transition', String(path[0]), label);
        assert.equal(refusal.allowed, ['RESTORE'], label);
        assert.match(`${refusal.message} ${refusal.hint}`, ourIds.get(archivedKind)!, label);
        await ok(register, 'archiveRecords', { ...archive, action: 'RESTORE' });
        callCount++;
      }
    }
  }
  assert.ok(callCount >= 12, `${callCount} were tried`);
});

const LATER = daysAgo(-2);
const LONG_AGO = daysAgo(400);

/** Valid dates that are impossible for their fields. Each call is refused at its first field. */
const IMPOSSIBLE: [tool: string, given: Record<string, unknown>][] = [
  ['addVendor', { last_reviewed: LATER }],
  ['reviewVendor', { reviewed_at: LATER, outcome: 'APPROVED' }],
  ['reviewVendor', { next_review_due: daysAgo(1), outcome: 'APPROVED' }],
  ['reviewVendor', { next_review_due: LONG_AGO, reviewed_at: daysAgo(399), outcome: 'REJECTED' }],
  ['addMeasure', { implemented_at: LATER, state: 'IMPLEMENTED' }],
  ['addMeasure', { implemented_at: LONG_AGO, state: 'IN_PROGRESS' }],
  ['addEvidence', { collected_at: LATER }],
  ['addAudit', { period_until: LONG_AGO, period_from: daysAgo(399) }],
  ['addAudit', { valid_until: LONG_AGO, valid_from: daysAgo(399) }],
  ['updateAudit', { period_until: LONG_AGO, period_from: daysAgo(399) }],
  ['updateAudit', { valid_until: LONG_AGO, valid_from: daysAgo(399) }],
  ['decideRisk', { until: daysAgo(1) }],
  ['decideRisk', { until: daysAgo(0) }],
  ['decideRisk', { until: daysAgo(-367) }],
];

test('an input with an impossible date is refused, with the field', async (context) => {
  const { register, inputsByTool } = context;
  // The example has accepted the risk.
  await ok(register, 'decideRisk', { id: inputsByTool.get('decideRisk')!.id, decision: 'REVOKE', reason: 'Found out' });
  for (const [tool, given] of IMPOSSIBLE) {
    const [field] = Object.keys(given);
    const label = `${tool} ${JSON.stringify(given)}`;
    const refusal = await refusalOf(context, tool, { ...inputsByTool.get(tool), ...given }, label);
    assertNames(refusal, 'invalid_input', field, label);
  }
});

test.run();
