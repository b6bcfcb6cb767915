import { priorityOf } from '../../commands/risk.ts';
import type { Scalar } from '../../stores/read-store.ts';
import type { FamilyFigures } from './figures.ts';

/*
 * What each family is counted by. A name stands for its meaning for good: digests of old reports hold both, so a figure
 * that is to count something else gets another name.
 */

type Value = Scalar | null;

const isOpenRisk = (status: Value) => status !== 'CLOSED';
const priority = (score: Value) => priorityOf(score as number | null);
const isStatus = (status: string) => (key: Value) => key === status;

export const RISK_FIGURES: FamilyFigures = {
  type: 'RISK',
  by: ['status', 'score'],
  figures: [
    { name: 'risks', counts: 'risks, closed ones too' },
    { name: 'risks_open', counts: 'risks that are OPEN', when: isStatus('OPEN') },
    { name: 'risks_in_treatment', counts: 'risks that are IN_TREATMENT', when: isStatus('IN_TREATMENT') },
    { name: 'risks_accepted', counts: 'risks that are ACCEPTED', when: isStatus('ACCEPTED') },
    { name: 'risks_closed', counts: 'risks that are CLOSED', when: isStatus('CLOSED') },
    ...(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const).map((wanted) => ({
      name: `risks_${wanted.toLowerCase()}`,
      counts: `risks not closed, of priority ${wanted}`,
      when: (status: Value, score: Value = null) => isOpenRisk(status) && priority(score) === wanted,
    })),
    {
      name: 'risks_without_score',
      counts: 'risks not closed, without a score',
      when: (status, score) => isOpenRisk(status ?? null) && (score ?? null) === null,
    },
    {
      name: 'risks_without_measures',
      counts: 'risks OPEN or IN_TREATMENT, without a measure',
      filter: { status: ['OPEN', 'IN_TREATMENT'], missing: ['MEASURES'] },
    },
    {
      name: 'risks_review_overdue',
      counts: 'risks not closed, whose next review is overdue',
      filter: { overdue: true },
    },
    {
      name: 'risk_acceptances_expired',
      counts: 'risks ACCEPTED, whose acceptance has run out',
      filter: { acceptance_expired: true },
    },
  ],
};
