import { createHash } from 'node:crypto';
import type { DecisionContext } from './decider.ts';
import { recordFamily } from './family.ts';
import { type RecordFacts, refuseFuture } from './record.ts';
import { Refusal } from './refusal.ts';

const DETAILS = {
  name: '',
  description: null as string | null,
  url: null as string | null,
  text: null as string | null,
  /** Of the file that is referred to, or of the text, in lower-case hexadecimal. */
  sha256: null as string | null,
  collected_at: null as string | null,
  valid_until: null as string | null,
};

/** Where it was first linked: those links begin with its own first event. */
const DECIDED = { record_ids: [] as readonly string[] };

export type EvidenceState = typeof DETAILS & typeof DECIDED & RecordFacts;

/** Evidence is not changed: it is archived and added anew. */
function add(evidence: EvidenceState, _reason: string | undefined, context: DecisionContext): Partial<EvidenceState> {
  const { url, text, sha256, collected_at } = evidence;
  if (!url && !text && !sha256) {
    throw new Refusal(
      'invalid_input',
      'Evidence needs at least one of url, text and sha256: give where or what it is.',
      {
        field: 'url',
      },
    );
  }
  if (collected_at) refuseFuture('collected_at', collected_at, context);
  const record_ids = [...new Set(evidence.record_ids)];
  return sha256 || !text ? { record_ids } : { record_ids, sha256: createHash('sha256').update(text).digest('hex') };
}

export const evidence = recordFamily(
  { type: 'EVIDENCE', title: 'Evidence', singular: 'evidence', plural: 'evidence', prefix: 'evd' },
  { details: DETAILS, decided: DECIDED, references: ['record_ids'], add },
);
