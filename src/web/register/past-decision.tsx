import type { VNode } from 'preact';
import type { ListedChange } from '../../queries/changes/list-changes.ts';
import type { NamesByKey } from '../../texts/value-text.ts';
import { codeWords } from '../../texts/words.ts';
import { LongDay } from '../components/components.tsx';

type Members = Readonly<Record<string, string | null>>;

/** Returns true for a change that imported a decision. An undo and a withdrawal may set one back, and import none. */
export function isImportedDecision({ event_type, changes }: Pick<ListedChange, 'event_type' | 'changes'>): boolean {
  return event_type.endsWith('Imported') && changes.some(({ field }) => field === 'imported');
}

/**
 * Returns an imported decision in a sentence, such as `Review imported: Approved on 3 Mar 2025, by “J. Smith” in row 12
 * of suppliers.xlsx`. Returns null for any other change.
 */
export function pastDecision(change: ListedChange, people: NamesByKey): VNode | null {
  if (!isImportedDecision(change)) return null;
  const { changes } = change;
  const membersOf = (name: string) => changes.find(({ field }) => field === name)?.to as Members | null | undefined;
  const [imported, review, acceptance] = ['imported', 'review', 'acceptance'].map(membersOf);
  if (!imported) return null;
  const person = personText(review?.reviewed_by ?? acceptance?.approver_id, imported.name_id, people);
  const source = imported.source ? ` in ${imported.source}` : '';
  return (
    <>
      {review ? (
        <>
          Review imported: {codeWords(review.outcome ?? '')}
          <OnDay at={review.reviewed_at} />
        </>
      ) : (
        <>
          Acceptance imported: accepted
          <OnDay at={acceptance?.accepted_at} /> until <LongDay at={acceptance?.until ?? ''} />
        </>
      )}
      {person + source === '' ? '' : `,${person}${source}`}
    </>
  );
}

function OnDay({ at }: { at: string | null | undefined }) {
  if (!at) return null;
  return (
    <>
      {' on '}
      <LongDay at={at} />
    </>
  );
}

/** A name from the file stands in quotes, because it is no member's. */
function personText(account: string | null | undefined, nameId: string | null | undefined, people: NamesByKey): string {
  if (account) return ` by ${people.get(account) ?? account}`;
  return nameId ? ` by “${people.get(nameId) ?? nameId}”` : '';
}
