import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { CopyBlock, LongDay } from '../../components/components.tsx';
import { countText } from '../../texts/counts.ts';
import { addFormAddress, entryFormOf } from '../forms/add-forms.ts';
import type { RegisterView } from '../open-register.ts';
import { familyHeading } from '../rail-links.ts';
import { takesNewRows } from '../takes-new-rows.ts';
import { listAddress } from './list-address.ts';
import type { ListView } from './read-list.ts';

interface EmptyListProps {
  family: FamilyDescription;
  view: RegisterView;
  listView: ListView;
}

/** Says why a list is empty, and the next step. */
export function EmptyList({ family, view, listView }: EmptyListProps) {
  const { total, firstChangeAt, selection } = listView;
  const noun = familyHeading(family).toLowerCase();
  if (firstChangeAt !== null)
    return (
      <p class="empty">
        Nothing was recorded before <LongDay at={firstChangeAt} />.
      </p>
    );
  if (total > 0) {
    return (
      <div class="empty">
        <p>
          <b>{filteredText(family, noun, listView)}</b>
        </p>
        <UsedValues family={family} view={view} listView={listView} />
        <a class="button quiet" href={listAddress(view, { ...selection, filter: {} })}>
          Clear filters
        </a>
      </div>
    );
  }
  if (view.past !== null) return <p class="empty">There were no {noun} at this moment.</p>;
  return <EmptyRegister family={family} view={view} noun={noun} />;
}

/** Offers the values in use instead of one that no record has. */
function UsedValues({ family, view, listView: { selection, valuesInUse } }: EmptyListProps) {
  if (valuesInUse === null) return null;
  const { filter, values, moreCount } = valuesInUse;
  return (
    <>
      <p>{family.fields[filter]!.label}: values in use</p>
      <p class="actions">
        {values.map((value) => (
          <a
            key={value}
            class="button quiet"
            href={listAddress(view, { ...selection, filter: { ...selection.filter, [filter]: [value] } })}
          >
            {value}
          </a>
        ))}
        {moreCount > 0 && `and ${countText(moreCount)} more`}
      </p>
    </>
  );
}

function filteredText({ singular, plural }: FamilyDescription, noun: string, { selection, total }: ListView): string {
  const count = Object.keys(selection.filter).length;
  const verb = singular === plural ? 'matches' : 'match';
  return count === 1
    ? `No ${noun} ${verb} this filter. ${countText(total)} without it.`
    : `No ${noun} ${verb} these ${count} filters. ${countText(total)} without them.`;
}

/** The words for a register without records, if "No … yet." is not enough. */
const EMPTY_TEXTS: Readonly<Record<string, string>> = {
  RISK: 'No risks yet. Bring a spreadsheet, or add the one that keeps you awake.',
  EVIDENCE: 'Nothing is attached. An auditor will ask: when was it made, for which period, by whom?',
  CONTROL: 'No controls yet. They come with a framework.',
};

/** The sentence with which an assistant begins, if it is not an interview about the family's records. */
const REQUESTS: Readonly<Record<string, string>> = {
  RISK: 'Ask me about the risk that keeps me awake, and add it',
  EVIDENCE: 'Ask me when our newest evidence was made, for which period and by whom, and add it',
  CONTROL: 'Show me the frameworks that I can adopt, and add one',
  FRAMEWORK: 'Show me the frameworks that I can adopt, and add one',
};

/** A register without records. Members who may add some see the ways to begin: first by themselves, then by an assistant. */
function EmptyRegister({ family, view, noun }: { family: FamilyDescription; view: RegisterView; noun: string }) {
  const { organization } = view;
  const request = REQUESTS[family.type] ?? `Ask me about our ${noun}, and add them`;
  return (
    <div class="empty">
      <p>
        <b>{EMPTY_TEXTS[family.type] ?? `No ${noun} yet.`}</b>
      </p>
      {roleAllows(organization.role, 'changeRecords') && (
        <>
          <OwnHands family={family} organization={organization} />
          <p>
            Or say to <a href="/connect">your assistant</a>:
          </p>
          <CopyBlock id="request" text={`${request} to the register of ${organization.name}.`} />
          {takesNewRows(family) && (
            <>
              <p>Or, with a spreadsheet attached:</p>
              <CopyBlock
                id="import-request"
                text={`Import this spreadsheet as ${noun} into the register of ${organization.name}. Show me first what it would change.`}
              />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** The ways in which a person fills an empty register. */
function OwnHands({ family, organization }: { family: FamilyDescription } & Pick<RegisterView, 'organization'>) {
  const addForm = entryFormOf(family);
  const mayAdd = addForm !== undefined && roleAllows(organization.role, addForm.permission);
  if (!mayAdd && !takesNewRows(family)) return null;
  return (
    <p class="actions">
      {mayAdd && (
        <a class="button" href={addFormAddress(organization, addForm)}>
          {addForm.button}
        </a>
      )}
      {takesNewRows(family) && (
        <a class="button quiet" href={organizationAddress(organization.id, '/getting-started#import')}>
          Import a spreadsheet
        </a>
      )}
    </p>
  );
}
