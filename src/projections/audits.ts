import { type AuditState, audit } from '../commands/audit.ts';
import { computed, filtered, ordered, orderedText } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { MAX_DATE, MIN_DATE } from './relations/related-counts.ts';

/** A bound of a certificate's life, open where the other one alone is given; none where neither is. */
function life(bound: 'valid_from' | 'valid_until', open: string) {
  return computed<AuditState>('text', (audit) =>
    audit.valid_from === null && audit.valid_until === null ? null : (audit[bound] ?? open),
  );
}

export const audits: ReadModel<AuditState> = {
  family: audit,
  // The position at which the audit pack is generated. It stays after the audit is reopened.
  pinnedPositions: { AuditCompleted: 'completed_position' },
  keys: {
    name: orderedText('name'),
    state: filtered('state'),
    framework_id: filtered('framework_id'),
    kind: filtered('kind'),
    starts_on: ordered('starts_on'),
    valid_until: ordered('valid_until'),
    life_from: life('valid_from', MIN_DATE),
    life_until: life('valid_until', MAX_DATE),
  },
  orders: ['starts_on', 'valid_until', 'name'],
  narrowingKeys: ['state'],
  missingOptions: ['OWNER', 'EVIDENCE'],
  searchFields: { short: ['name'], long: [] },
};
