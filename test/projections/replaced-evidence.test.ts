import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import type { RecordDocument } from '../../src/projections/read-models/read-model.ts';
import { evidenceLabel, isReplaced, newestEvidenceLabels } from '../../src/projections/relations/replaced-evidence.ts';

const test = suite('replaced evidence');

const evidence = (collected: string, valid_until: string | null) => ({
  ...{ valid_until, collected_at: `${collected}T09:00:00.000Z`, created_at: '2026-11-26T09:00:00.000Z' },
});
const recordWith = (prefix: string, ...labels: string[]) => {
  const counts: Record<string, number> = { EVIDENCE: labels.length };
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return { id: randomId(prefix), related_counts: counts } as unknown as RecordDocument;
};
/** Returns the counts of evidence that is attached to these records alone. */
const countsOf = (...records: RecordDocument[]) =>
  Object.fromEntries([
    ['MEASURE', records.length],
    ...records.flatMap(newestEvidenceLabels).map((label) => [label, 1]),
  ]);

const old = evidence('2025-03-01', '2026-03-01');
const newer = evidence('2026-02-01', '2027-02-01');
const certificate = evidence('2025-01-01', '2028-01-01');

test('newer evidence of one of its records replaces older evidence if it is valid longer', () => {
  const [oldLabel, newerLabel, certificateLabel] = [
    evidenceLabel(old),
    evidenceLabel(newer),
    evidenceLabel(certificate),
  ];
  assert.ok(isReplaced(old, countsOf(recordWith('msr', oldLabel, newerLabel))));
  assert.not(isReplaced(newer, countsOf(recordWith('msr', oldLabel, newerLabel))));
  assert.not(isReplaced(old, countsOf(recordWith('msr', oldLabel, certificateLabel))));
  assert.ok(isReplaced(old, countsOf(recordWith('msr', oldLabel, newerLabel), recordWith('msr', oldLabel))));
  assert.not(isReplaced(old, countsOf(recordWith('frm', oldLabel, newerLabel), recordWith('msr', oldLabel))));
  assert.not(isReplaced(old, countsOf(recordWith('aud', oldLabel, newerLabel))));
});

test('evidence of the same day, and evidence without an end, is never replaced', () => {
  const sameDay = evidence('2025-03-01', '2029-01-01');
  const endless = evidence('2024-01-01', null);
  assert.not(isReplaced(old, countsOf(recordWith('msr', evidenceLabel(old), evidenceLabel(sameDay)))));
  assert.not(isReplaced(endless, countsOf(recordWith('msr', evidenceLabel(endless), evidenceLabel(newer)))));
  assert.not(isReplaced(old, {}));
});

test('a record tells at most 100 pieces of evidence about newer ones', () => {
  const labels = Array.from({ length: 99 }, () => evidenceLabel(old));
  assert.is(newestEvidenceLabels(recordWith('msr', ...labels, evidenceLabel(newer))).length, 1);
  assert.equal(newestEvidenceLabels(recordWith('msr', ...labels, evidenceLabel(old), evidenceLabel(newer))), []);
});

test.run();
