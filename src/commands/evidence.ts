import { createHash } from 'node:crypto';
import { EVIDENCE, type EvidenceState } from '../register/evidence.ts';
import { defineFamily } from './define-family.ts';
import { MAX_DATE } from './engine/dates.ts';
import { invalidField } from './engine/refusal.ts';

/** Checks new evidence. There is no update: evidence is archived and added again. */
function add(evidence: EvidenceState): Partial<EvidenceState> {
  const { url, text, sha256 } = evidence;
  if (!url && !text && !sha256) {
    throw invalidField('url', 'Evidence needs at least one of url, text and sha256. Give one of them.');
  }
  const record_ids = [...new Set(evidence.record_ids)];
  return sha256 || !text ? { record_ids } : { record_ids, sha256: createHash('sha256').update(text).digest('hex') };
}

export const evidence = defineFamily(EVIDENCE, {
  add,
  facts: ({ text, url }) => ({ kind: text ? 'TEXT' : url ? 'URL' : 'FILE' }),
  keys: {
    ends: {
      type: 'text',
      // `valid_until`; `9999-12-31` without one.
      of: ({ valid_until }) => valid_until ?? MAX_DATE,
    },
    renewal_due: {
      type: 'text',
      // `valid_until`; `9999-12-31` without one, and if newer evidence replaces it: its relations derive `replaced`.
      of: ({ replaced, valid_until }: EvidenceState & { replaced?: boolean }) =>
        replaced ? MAX_DATE : (valid_until ?? MAX_DATE),
    },
  },
});
