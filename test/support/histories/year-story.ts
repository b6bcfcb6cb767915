import * as assert from 'uvu/assert';
import type { ServedPair } from '../stores/pairs.ts';
import { Year } from './year.ts';

/** Plays the year, and compares the register with the model now and at every nth remembered moment. */
export async function assertYear({ owner, organizationId }: ServedPair, stride: number): Promise<void> {
  const year = new Year(owner, organizationId);
  await liveThrough(year);
  await year.model.assertAgrees(owner, organizationId);
  assert.is(year.remembered.length, 15);
  for (const [index, { position, model }] of year.remembered.entries()) {
    if (index % stride === 0) await model.assertAgrees(owner, organizationId, position);
  }
  const { verification } = await owner.ok('listChanges', { organization_id: organizationId, verify: true, size: 100 });
  assert.is(verification.verdict, 'VALID');
}

/** Plays twelve months of an organization: frameworks, work, findings and reviews. */
async function liveThrough(year: Year): Promise<void> {
  const iso = await year.adopt({ library_id: 'ISO_27001_2022' });
  const controls = Array.from({ length: 20 }, (_, index) => ({
    section_title: `H.${index + 1}`,
    name: `House rule ${index + 1}`,
  }));
  const house = await year.adopt({ name: 'House rules', version: '1', controls });
  await year.monthEnds();

  const measures: string[] = [];
  for (let n = 0; n < 40; n++) {
    const state = ['NOT_STARTED', 'IN_PROGRESS', 'IMPLEMENTED'][n % 3]!;
    measures.push(
      await year.add('Measure', { name: `Measure ${n}`, reference_id: `M-${n}`, state, due_date: year.day(n - 10) }),
    );
  }
  await year.monthEnds();

  const numbers = [...iso.controls.keys()];
  const mapped = measures.flatMap((measure, n) => [
    [measure, iso.controls.get(numbers[(n * 3) % numbers.length]!)!] as const,
    [measure, iso.controls.get(numbers[(n * 3 + 1) % numbers.length]!)!] as const,
    [measure, house.controls.get(`H.${(n % 20) + 1}`)!] as const,
  ]);
  await year.link(mapped);
  await year.monthEnds();

  const vendors = await year.import(
    'VENDOR',
    Array.from({ length: 25 }, (_, n) => ({
      name: `Supplier ${n}`,
      country: ['DE', 'FR', 'EE'][n % 3],
      criticality: 'LOW',
    })),
  );
  const risks: string[] = [];
  for (let n = 0; n < 8; n++) {
    const fields = { name: `Risk ${n}`, inherent_likelihood: (n % 5) + 1, inherent_impact: 4 };
    risks.push(await year.add('Risk', fields, { ...fields, score: fields.inherent_likelihood * 4, status: 'OPEN' }));
  }
  await year.link(risks.flatMap((risk, n) => [[risk, measures[n]!] as const, [risk, vendors[n]!] as const]));
  await year.monthEnds();

  const evidence: string[] = [];
  for (let n = 0; n < 12; n++)
    evidence.push(await year.addEvidence([measures[n]!, measures[n + 12]!], `Screenshot ${n}`));
  await year.link([[evidence[0]!, iso.controls.get('A.8.13')!]]);
  await year.monthEnds();

  const obligation = { requirement: 'Report breaches within 72 hours', area: 'Privacy', due_date: year.day(20) };
  const reporting = await year.add('Obligation', obligation);
  await year.change('updateObligation', reporting, { status: 'PARTIALLY_COMPLIANT' });
  await year.link([[reporting, measures[3]!]]);
  await playAudit(year, iso.id, measures, 'Spring audit');
  await year.monthEnds();

  for (const n of [1, 4, 7, 10, 13]) await year.change('updateMeasure', measures[n]!, { state: 'IMPLEMENTED' });
  const reason = 'found not to work';
  await year.change('updateMeasure', measures[2]!, { state: 'IN_PROGRESS', reason }, { state: 'IN_PROGRESS' });
  const justification = 'no such system is left';
  await year.change('updateMeasure', measures[5]!, { state: 'NOT_APPLICABLE', justification });
  await year.monthEnds();

  await year.import(
    'CONTROL',
    ['A.7.1', 'A.7.2', 'A.7.3'].map((number) => ({
      id: iso.controls.get(number)!,
      status: 'EXCLUDED',
      exclusion_justification: 'no premises of our own',
    })),
  );
  await year.change('updateControl', iso.controls.get('A.7.3')!, { status: 'INCLUDED' });
  await year.change('reviewVendor', vendors[0]!, { outcome: 'APPROVED' }, { status: 'APPROVED' });
  await year.monthEnds();

  await playAudit(year, iso.id, measures, 'Autumn audit');
  await year.monthEnds();

  await year.archive(
    [measures[0]!, measures[3]!, vendors[24]!, evidence[1]!, risks[7]!],
    'ARCHIVE',
    'not ours any more',
  );
  await year.archive([house.controls.get('H.20')!], 'ARCHIVE', 'dropped from the rules');
  await year.archive([house.id], 'ARCHIVE', 'merged into the other framework');
  await year.monthEnds();

  await year.archive([house.id, measures[3]!], 'RESTORE', 'needed after all');
  await year.link([mapped[6]!, mapped[7]!, mapped[9]!], 'UNLINK');
  await year.monthEnds();

  await playAudit(year, house.id, measures, 'Winter audit');
  await year.link([mapped[6]!]);
  await year.monthEnds();
}

/** Plays an audit from plan to end, with a finding that is closed and one that stays open. */
async function playAudit(year: Year, framework_id: string, measures: readonly string[], name: string): Promise<void> {
  const audit = await year.add('Audit', { framework_id, name, kind: 'INTERNAL', starts_on: year.day(0) });
  await year.change('updateAudit', audit, { state: 'IN_PROGRESS' });
  const finding = { description: `${name}: restores are not tested`, severity: 'MAJOR', audit_id: audit };
  const closed = await year.add('Nonconformity', finding, { ...finding, status: 'OPEN' });
  const open = { description: `${name}: the list of systems is old`, audit_id: audit, due_date: year.day(-1) };
  await year.add('Nonconformity', open, { ...open, status: 'OPEN' });
  await year.link([[closed, measures[8]!]]);
  const treated = {
    root_cause: 'nobody was named',
    corrective_action: 'a monthly test',
    status: 'PENDING_VERIFICATION',
  };
  await year.change('updateNonconformity', closed, treated);
  await year.change('updateNonconformity', closed, { effectiveness_check: 'two tests seen', status: 'CLOSED' });
  await year.change('updateAudit', audit, { state: 'COMPLETED' });
  await year.monthEnds();
  const { session, organization_id } = year;
  const moment = await session.ok('listNonconformities', { organization_id, as_of: audit, view: 'COUNT' });
  const now = await session.ok('listNonconformities', { organization_id, view: 'COUNT' });
  assert.is(moment.total, now.total, 'what the audit saw when it was completed');
}
