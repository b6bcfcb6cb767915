/** getReport through the endpoint, on both pairs of stores. */
import * as assert from 'uvu/assert';
import { onBothPairs } from '../support/pairs.ts';
import { asking, digestOfAnswer, figuresOf, rowsOf, textOfReport, wholeReport } from '../support/reports.ts';
import { laySmallRegister } from '../support/small-register.ts';
import { until } from '../support/wait.ts';

await onBothPairs('reports', (test) => {
  test.before(({ owner, organizationId }) => laySmallRegister(owner, organizationId));

  test('the risk register says what the register holds', async ({ owner, organizationId }) => {
    const report = await wholeReport(asking(owner, organizationId), { type: 'RISK_REGISTER' });
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
    assert.equal(Object.values(report.people), ['Owner']);
  });

  test('a report has one digest: in every format, worked out of its JSON, and as of its own position', async (served) => {
    const ask = asking(served.owner, served.organizationId);
    for (const type of ['POSTURE', 'RISK_REGISTER']) {
      const report = await wholeReport(ask, { type });
      assert.is(digestOfAnswer(report), report.digest, type);
      for (const format of ['MARKDOWN', 'CSV'])
        assert.is((await textOfReport(ask, { type, format })).digest, report.digest);
      const later = await wholeReport(ask, { type, as_of: report.position });
      assert.is(later.digest, report.digest);
      assert.is(figuresOf(report).risks, 4);
    }
  });

  test('each report that is drawn is in the access log, with who drew it', async ({ owner, organizationId }) => {
    await owner.ok('getReport', { organization_id: organizationId, type: 'POSTURE', format: 'CSV' });
    const filter = { record_types: ['ACCESS'], event_types: ['REPORT_DRAWN'], actor_id: ['ME'] };
    const told = async () => {
      const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter });
      const rows = changes.map((row) => Object.fromEntries(row.changes.map(({ field, to }) => [field, to])));
      return rows.find(({ type, format }) => type === 'POSTURE' && format === 'CSV');
    };
    const facts = await until(told, 5_000, 'the report is told of');
    assert.match(String(facts?.token_id), /^tok_/);
  });
});
