import type { Verification } from '../../verification.ts';
import type { Head, People } from '../page.ts';
import type { Fact } from '../report-type.ts';
import { instantText } from './words.ts';

/** That a report lacks something, in a sentence. */
export const INCOMPLETE = 'Incomplete: an event of the organization could not be read, so something may lack.';

/** That the digest does not vouch for the names of people. */
export const NAMES = 'of people are those of the time that is told of, and not in the digest';

const timeText = (text: string): string => (instantText(text) === text ? text : `${instantText(text)} UTC`);

/** What stands at the head of a document: what it is about, of when, when it was drawn, and what it can be checked by. */
export function factsOf(head: Head, people: People): Fact[] {
  const { about, as_of, position, today, generated_at, digest, proof, pending_seal } = head;
  const verification = proof?.verification;
  const last = as_of === null ? '' : `, whose last change is of ${instantText(as_of)} UTC`;
  return [
    ...about.map(({ label, value }) => ({ label, value: people.get(value) ?? timeText(value) })),
    { label: 'As of', value: `${today}, position ${position} of its history${last}` },
    { label: 'Drawn', value: `${instantText(generated_at)} UTC` },
    { label: 'Digest', value: digest },
    { label: 'Names', value: NAMES },
    ...(pending_seal
      ? [{ label: 'Seal', value: 'none covers this position yet: draw it again later for the proof' }]
      : []),
    ...(proof ? [{ label: 'Seal', value: 'covers this position: the JSON form has the proof' }] : []),
    ...(verification ? [{ label: 'Changes checked', value: checkedText(verification) }] : []),
  ];
}

/** Says what the changes in a report were held against, and never calls a part the whole. */
export function checkedText({ verdict, complete, covered_from, covered_to }: Verification): string {
  if (covered_from === null) return 'there are none';
  const part = complete ? '' : ' alone; the JSON form has the cursor that goes on in listChanges';
  const outcome = verdict === 'VALID' ? 'are as the log has them' : 'are NOT as the log has them, see the JSON form';
  return `positions ${covered_from} to ${covered_to} ${outcome}${part}`;
}
