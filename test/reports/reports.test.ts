import * as assert from 'uvu/assert';
import { REPORT_TYPES } from '../../src/reports/all-reports.ts';
import { writeSmallRegister } from '../support/histories/small-register.ts';
import { digestOfAnswer, reportCaller, rowsOf, textOfReport, wholeReport } from '../support/reports.ts';
import { until } from '../support/run/wait.ts';
import { onBothPairs } from '../support/stores/pairs.ts';

/** getReport through the endpoint, on both pairs of stores. */

await onBothPairs('reports', (test) => {
  test.before(({ owner, organizationId }) => writeSmallRegister(owner, organizationId));

  test('the risk register report shows the register’s risks', async ({ owner, organizationId }) => {
    const report = await wholeReport(reportCaller(owner, organizationId), { type: 'RISK_REGISTER' });
    const { risks } = await owner.ok('listRisks', { organization_id: organizationId, view: 'FULL' });
    const rows = rowsOf(report, 'risks');
    assert.equal(
      rows.map(({ id, name, score, measure_count }) => [id, name, score ?? null, measure_count]),
      risks.map(({ id, name, score, measure_count }) => [id, name, score, measure_count]),
    );
    const cells = rowsOf(report, 'matrix').filter(({ risks: count }) => count !== 0);
    assert.equal(
      cells.map(({ likelihood, impact, risks: count }) => [likelihood, impact, count]),
      [
        [4, 5, 1],
        [3, 4, 1],
        [2, 3, 1],
      ],
    );
    assert.equal(Object.values(report.people), ['First owner']);
  });

  test('a report’s digest is the same in every format, as of its own position, and when computed from its JSON', async (served) => {
    const { owner, organizationId } = served;
    const getReport = reportCaller(owner, organizationId);
    const { audits } = (await owner.ok('listAudits', {
      organization_id: organizationId,
      filter: { state: ['COMPLETED'] },
    })) as unknown as { audits: { id: string }[] };
    const inputs: Record<string, object> = { AUDIT_PACK: { audit_id: audits[0]!.id }, CHANGES_BETWEEN: { from: '1' } };
    for (const type of REPORT_TYPES) {
      const input = { type, ...inputs[type] };
      const report = await wholeReport(getReport, input);
      assert.is(digestOfAnswer(report), report.digest, type);
      // A seal may add a position meanwhile, so the other requests name the first report's position.
      const pinned = { ...input, as_of: report.position };
      for (const format of ['MARKDOWN', 'CSV']) {
        assert.is((await textOfReport(getReport, { ...pinned, format })).digest, report.digest, `${type} ${format}`);
      }
      assert.is((await wholeReport(getReport, pinned)).digest, report.digest, `${type} later`);
    }
  });

  test('each generated report is in the access log, with its account', async ({ owner, organizationId }) => {
    await owner.ok('getReport', { organization_id: organizationId, type: 'POSTURE', format: 'CSV' });
    const filter = { record_types: ['ACCESS'], event_types: ['REPORT_GENERATED'], actor_id: ['ME'] };
    const reportEntries = async () => {
      const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter });
      const rows = changes.map((row) => Object.fromEntries(row.changes.map(({ field, to }) => [field, to])));
      return rows.find(({ type, format }) => type === 'POSTURE' && format === 'CSV');
    };
    const facts = await until(reportEntries, 5_000, 'the report is in the access log');
    assert.match(String(facts?.token_id), /^tok_/);
  });
});
