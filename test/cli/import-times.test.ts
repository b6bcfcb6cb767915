import * as assert from 'uvu/assert';
import { dataOf, eventsOf, saveFile as file, importSuite, veritrail } from '../support/cli/import-command.ts';

const test = importSuite('the times of imported states');

test('a past state has the date of its file, or none', async ({ identity }) => {
  file(identity, 'o.csv', 'Requirement,Status,Last review', 'O1,Compliant,2024-05-06', 'O2,Compliant,');
  await veritrail(identity, 'import', 'o.csv', '--type', 'obligations');
  assert.equal(dataOf(await eventsOf(identity, 'ObligationAdded')), [
    { requirement: 'O1', status: 'COMPLIANT', last_review_date: '2024-05-06' },
    { requirement: 'O2', status: 'COMPLIANT' },
  ]);

  const headings = 'ID,Finding,Status,Root cause,Corrective action,Effectiveness check,Closure date';
  const texts = { root_cause: 'x', corrective_action: 'y', effectiveness_check: 'z' };
  file(identity, 'n.csv', headings, 'N1,One,Closed,x,y,z,2024-03-20', 'N2,Two,Closed,x,y,z,', 'N3,Three,Open,,,,');
  const { code, err } = await veritrail(identity, 'import', 'n.csv', '--type', 'nonconformities');
  assert.is(code, 0, err);
  assert.equal(dataOf(await eventsOf(identity, 'NonconformityRaised')), [
    { reference_id: 'N1', description: 'One', ...texts, status: 'CLOSED', closed_at: '2024-03-20' },
    { reference_id: 'N2', description: 'Two', ...texts, status: 'CLOSED' },
    { reference_id: 'N3', description: 'Three', status: 'OPEN' },
  ]);

  file(identity, 'r.csv', 'Risk,Likelihood,Impact,Last assessed', 'Fire,3,4,2025-02-01', 'Flood,2,2,', 'Frost,,,');
  await veritrail(identity, 'import', 'r.csv', '--type', 'risks');
  const risks = dataOf(await eventsOf(identity, 'RiskAdded')).map((risk) => [risk.name, risk.last_assessed_at]);
  assert.equal(risks.sort(), [
    ['Fire', '2025-02-01'],
    ['Flood', undefined],
    ['Frost', undefined],
  ]);

  file(identity, 'm.csv', 'Measure,State,Implemented on', 'Locks,Implemented,2025-02-01', 'Alarm,Implemented,');
  await veritrail(identity, 'import', 'm.csv', '--type', 'measures');
  const measures = dataOf(await eventsOf(identity, 'MeasureAdded')).map(({ implemented_at }) => implemented_at);
  assert.equal(measures, ['2025-02-01', undefined]);
});

test('a later row is a decision of today, unless the file has its date', async ({ identity }) => {
  const recorded = async (...types: string[]) =>
    (await eventsOf(identity, ...types)).map(({ type, data: { reason: _reason, ...data }, metadata }) => {
      const now = Object.entries(data).map(([name, value]) => [name, value === metadata.recorded_at ? 'now' : value]);
      return [type, Object.fromEntries(now)];
    });
  const update = (name: string, type: string) => veritrail(identity, 'import', name, '--type', type, '--update');

  const headings = 'ID,Finding,Status,Root cause,Corrective action,Effectiveness check,Closure date';
  file(identity, 'n1.csv', headings, 'N1,One,Open,x,y,z,', 'N2,Two,Open,x,y,z,', 'N3,Three,Closed,x,y,z,');
  await update('n1.csv', 'nonconformities');
  file(
    identity,
    'n2.csv',
    headings,
    'N1,One,Closed,x,y,z,2026-03-20',
    'N2,Two,Closed,x,y,z,',
    'N3,Three,Closed,x,y,z,',
  );
  const closed = await update('n2.csv', 'nonconformities');
  assert.is(closed.out, 'created 0, updated 2, unchanged 1, refused 0 (of 3 rows)', closed.err);
  file(identity, 'n3.csv', headings, 'N3,Three,Closed,x,y,z,2024-01-02');
  const dated = await update('n3.csv', 'nonconformities');
  assert.is(dated.out, 'created 0, updated 1, unchanged 0, refused 0 (of 1 rows)', dated.err);
  assert.equal(await recorded('NonconformityClosed'), [
    ['NonconformityClosed', { closed_at: '2026-03-20' }],
    ['NonconformityClosed', { closed_at: 'now' }],
    ['NonconformityClosed', { closed_at: '2024-01-02' }],
  ]);

  file(identity, 'r1.csv', 'Risk,Likelihood,Impact,Last assessed', 'Fire,3,4,', 'Flood,2,2,', 'Frost,1,1,');
  await update('r1.csv', 'risks');
  const again = ['Fire,3,5,2026-02-01', 'Flood,2,1,', 'Frost,1,1,2026-02-03'];
  file(identity, 'r2.csv', 'Risk,Likelihood,Impact,Last assessed', ...again);
  const assessed = await update('r2.csv', 'risks');
  assert.is(assessed.out, 'created 0, updated 3, unchanged 0, refused 0 (of 3 rows)', assessed.err);
  const ratings = { inherent_likelihood: 1, inherent_impact: 1, residual_likelihood: null, residual_impact: null };
  assert.equal(await recorded('RiskAssessed'), [
    ['RiskAssessed', { ratings: { inherent_impact: 5 }, assessed_at: '2026-02-01' }],
    ['RiskAssessed', { ratings: { inherent_impact: 1 }, assessed_at: 'now' }],
    ['RiskAssessed', { ratings, assessed_at: '2026-02-03' }],
  ]);

  file(identity, 'm1.csv', 'Measure,State,Implemented on', 'Locks,Not started,', 'Alarm,Not started,');
  await update('m1.csv', 'measures');
  file(identity, 'm2.csv', 'Measure,State,Implemented on', 'Locks,Implemented,2025-02-01', 'Alarm,Implemented,');
  await update('m2.csv', 'measures');
  assert.equal(await recorded('MeasureImplemented'), [
    ['MeasureImplemented', { implemented_at: '2025-02-01' }],
    ['MeasureImplemented', { implemented_at: 'now' }],
  ]);
});

test('a date without its state is refused, and so is a closure before the finding', async ({ identity }) => {
  const headings = 'Finding,Status,Identified,Root cause,Corrective action,Effectiveness check,Closure date';
  file(identity, 'n.csv', headings, 'A,Open,,,,,2024-03-20', 'B,Closed,2024-04-01,x,y,z,2024-03-20');
  const { out, err } = await veritrail(identity, 'import', 'n.csv', '--type', 'nonconformities');
  assert.is(out, 'created 0, updated 0, unchanged 0, refused 2 (of 2 rows)');
  assert.match(err, /^row 2: Only a CLOSED nonconformity has closed_at\./m);
  assert.match(err, /^row 3: date_identified \(2024-04-01\) is after the closure \(2024-03-20\)/m);
});

test.run();
