import type { Verification } from '../../queries/proofs/verify-changes.ts';
import type { NamesByKey, ReportHead } from '../pages/report-page.ts';
import type { HeadFact } from '../report-type.ts';
import { instantText } from './value-text.ts';

export const INCOMPLETE_NOTE = 'Incomplete: an event of the organization could not be read, so data may be missing.';

export const NAMES_NOTE = 'People’s names are those at the time of the event. The digest does not cover them.';

export const SEAL_NOTE = 'A seal covers this position. The JSON format has the proof.';

const timeText = (text: string): string => (instantText(text) === text ? text : `${instantText(text)} UTC`);

/** Returns the lines at the head of a document: its inputs, its moment, when it was generated, and how to check it. */
export function headFacts(head: ReportHead, people: NamesByKey): HeadFact[] {
  const { about, as_of, position, today, generated_at, digest, proof, pending_seal } = head;
  const verification = proof?.verification;
  const lastChange = as_of === null ? '' : `, last change ${instantText(as_of)} UTC`;
  return [
    ...about.map(({ label, value }) => ({ label, value: people.get(value) ?? timeText(value) })),
    { label: 'As of', value: `${today}, position ${position}${lastChange}` },
    { label: 'Generated', value: `${instantText(generated_at)} UTC` },
    { label: 'Report digest', value: digest },
    { label: 'Names', value: NAMES_NOTE },
    ...(pending_seal
      ? [
          {
            label: 'Seal',
            value: 'No seal covers this position yet. Generate the report again later to get the proof.',
          },
        ]
      : []),
    ...(proof ? [{ label: 'Seal', value: SEAL_NOTE }] : []),
    ...(verification ? [{ label: 'Changes checked', value: verificationText(verification) }] : []),
  ];
}

/** Returns the outcome of the check in words. It always states which positions were checked. */
export function verificationText({ verdict, complete, covered_from, covered_to }: Verification): string {
  if (covered_from === null) return 'There are no changes.';
  const outcome = verdict === 'VALID' ? 'match the log.' : 'do NOT match the log. See the JSON format.';
  const rest = complete
    ? ''
    : ' Later positions were not checked: continue with listChanges and the cursor in the JSON format.';
  return `Positions ${covered_from} to ${covered_to} ${outcome}${rest}`;
}
