import { createHash } from 'node:crypto';
import { EVIDENCE_EVENTS, type EvidenceEvent } from '../register/evidence.ts';
import { defineFamily } from './define-family.ts';
import type { DecisionContext } from './engine/decider.ts';
import { Refusal } from './engine/refusal.ts';
import { type CommonFields, refuseFuture, withoutReason } from './record.ts';

const DETAIL_FIELDS = {
  name: '',
  description: null as string | null,
  url: null as string | null,
  text: null as string | null,
  /** The hash of the file or of the text, in lower-case hex. */
  sha256: null as string | null,
  collected_at: null as string | null,
  valid_until: null as string | null,
};

/** The records that it was added with. Those links begin with the evidence's first event. */
const DECISION_FIELDS = { record_ids: [] as readonly string[] };

export type EvidenceState = typeof DETAIL_FIELDS & typeof DECISION_FIELDS & CommonFields;

/** Checks new evidence. There is no update: evidence is archived and added again. */
function add(evidence: EvidenceState, _reason: string | undefined, context: DecisionContext): Partial<EvidenceState> {
  const { url, text, sha256, collected_at } = evidence;
  if (!url && !text && !sha256) {
    throw new Refusal('invalid_input', 'Evidence needs at least one of url, text and sha256. Give one of them.', {
      field: 'url',
    });
  }
  if (collected_at) refuseFuture('collected_at', collected_at, context);
  const record_ids = [...new Set(evidence.record_ids)];
  return sha256 || !text ? { record_ids } : { record_ids, sha256: createHash('sha256').update(text).digest('hex') };
}

function evolve(evidence: EvidenceState, event: EvidenceEvent): EvidenceState {
  switch (event.type) {
    case 'EvidenceAdded':
      return { ...evidence, ...withoutReason(event.data) };
    case 'EvidenceArchived':
      return { ...evidence, archived_at: event.data.archived_at };
    case 'EvidenceRestored':
      return { ...evidence, archived_at: null };
  }
}

export const evidence = defineFamily(
  { type: 'EVIDENCE', title: 'Evidence', singular: 'evidence', plural: 'evidence', prefix: 'evd' },
  {
    events: EVIDENCE_EVENTS,
    commonEvents: { added: 'EvidenceAdded', archived: 'EvidenceArchived', restored: 'EvidenceRestored' },
    detailFields: DETAIL_FIELDS,
    decisionFields: DECISION_FIELDS,
    references: ['record_ids'],
    add,
    evolve,
  },
);
