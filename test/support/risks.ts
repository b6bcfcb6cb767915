import type { RiskCommand } from '../../src/commands/risk.ts';
import type { RiskEvent, RiskStatus } from '../../src/register/risk.ts';

export const ADMIN = { role: 'ADMIN', actor_id: 'acc_ADMIN' } as const;

export const recordedAcceptance: Extract<RiskEvent, { type: 'RiskAccepted' }>['data'] = {
  approver_id: 'acc_BOSS',
  recorded_by: 'acc_ADMIN',
  accepted_at: '2026-02-01T00:00:00.000Z',
  until: '2026-12-31',
  reason: 'cheap',
};
export const addedEvent: RiskEvent = {
  type: 'RiskAdded',
  data: { name: 'Fire', inherent_likelihood: 3, inherent_impact: 4 },
};
export const archivedEvent: RiskEvent = {
  type: 'RiskArchived',
  data: { archived_at: '2026-03-01T00:00:00.000Z', reason: 'gone' },
};

/** A history that ends in each status. */
export const IN: Record<RiskStatus, RiskEvent[]> = {
  OPEN: [addedEvent],
  IN_TREATMENT: [addedEvent, { type: 'RiskTreatmentStarted', data: {} }],
  ACCEPTED: [addedEvent, { type: 'RiskAccepted', data: recordedAcceptance }],
  CLOSED: [addedEvent, { type: 'RiskClosed', data: { reason: 'sold the house' } }],
};

/** An update of a risk. */
export const updateRisk = (
  changes: Extract<RiskCommand, { type: 'UpdateRisk' }>['changes'],
  reason?: string,
): RiskCommand => ({
  type: 'UpdateRisk',
  changes,
  ...(reason ? { reason } : {}),
});
