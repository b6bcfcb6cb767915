import type { ListedChange } from '../../queries/changes/list-changes.ts';
import { codeWords } from '../../reports/formats/report-text.ts';
import type { NamesByKey } from '../../reports/pages/report-page.ts';
import { dayText } from '../texts/dates.ts';

type Members = Readonly<Record<string, string | null>>;

/**
 * Returns an imported decision in a sentence, such as `Review imported: Approved on 3 Mar 2025, by “J. Smith” in row 12
 * of suppliers.xlsx`. Returns null for any other change.
 */
export function pastDecisionText({ changes }: Pick<ListedChange, 'changes'>, people: NamesByKey): string | null {
  const membersOf = (name: string) => changes.find(({ field }) => field === name)?.to as Members | null | undefined;
  const [imported, review, acceptance] = ['imported', 'review', 'acceptance'].map(membersOf);
  if (!imported) return null;
  const what = review
    ? `Review imported: ${codeWords(review.outcome ?? '')}${onDay(review.reviewed_at)}`
    : `Acceptance imported: accepted${onDay(acceptance?.accepted_at)} until ${dayText(acceptance?.until ?? '')}`;
  const person = personText(review?.reviewed_by ?? acceptance?.approver_id, imported.name_id, people);
  const source = imported.source ? ` in ${imported.source}` : '';
  return person === '' && source === '' ? what : `${what},${person}${source}`;
}

function onDay(at: string | null | undefined): string {
  return at ? ` on ${dayText(at)}` : '';
}

/** A name from the file stands in quotes, because it is no member's. */
function personText(account: string | null | undefined, nameId: string | null | undefined, people: NamesByKey): string {
  if (account) return ` by ${people.get(account) ?? account}`;
  return nameId ? ` by “${people.get(nameId) ?? nameId}”` : '';
}
