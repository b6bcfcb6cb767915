import type { ComponentChildren } from 'preact';
import { MAX_UNSELECTED_RECORDS } from '../../../commands/autonomy.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import type { Snapshot } from '../../../queries/moments/snapshot.ts';
import { familyOfPrefix } from '../../../register/families.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { Table } from '../../components/components.tsx';
import type { FormState } from '../../server/form-state.ts';
import type { WebPage } from '../../server/web-page.ts';
import { FieldChanges, readNamesInChanges } from '../change-words.tsx';
import { FormCard } from '../forms/form-card.tsx';
import type { FormField } from '../forms/form-fields.ts';
import { type FormView, recordPageAddress } from '../forms/open-form.ts';
import type { ManyOutcome, ManyPreview } from './many-calls.ts';

/** A form that changes many records, before its dry run or after it. */
export interface ManyForm {
  view: FormView;
  /** The address that takes the form. */
  action: string;
  title: string;
  /** The address of the navigation entry that is marked as current. */
  section: string;
  form: FormState;
  fields: readonly FormField[];
  /** The button that writes, such as "Change owner". */
  button: string;
  needsReason: boolean;
  /** The fields whose text is the reason, unless another one is given. */
  reasonFields?: readonly string[];
  records: readonly RecordName[];
  /** Null before the dry run. */
  preview: ManyPreview | null;
  /** The cursor of the records after these; null without more. */
  next: string | null;
  /** Says what an earlier part of the records became. */
  done: string | null;
  /** The page to which the form leads. */
  back: string;
  /** Stands above the form. */
  about?: ComponentChildren;
  /** Stands in place of the form if there are no records. */
  nothing?: string;
  /** The reason of a change for which nobody gives one. */
  defaultReason?: string;
}

export interface RecordName {
  id: string;
  name: string;
}

/** The fields of the form besides those of its tool. */
export const IDS = 'ids';
export const SELECTION = 'selection';
export const NEXT = 'next';

/** The page of a form that changes many records: first their list, then each change before it is written. */
export async function manyPage(many: ManyForm, snapshot: Snapshot): Promise<WebPage> {
  const { view, title, form, records, preview } = many;
  const outcomes = preview?.outcomes ?? records.map(({ id }) => ({ id, changes: [], result: null, error: null }));
  const typed = outcomes.map(({ id, changes }) => ({ record: { type: typeOf(id) }, changes }));
  const people = await readNamesInChanges({ snapshot, organization: view.organization, past: null }, typed);
  const selections = preview?.selections ?? [];
  const { nothing, defaultReason } = many;
  const reasons = many.fields.filter(({ name }) => many.reasonFields?.includes(name)).map(({ field }) => field.label);
  const reasonNeed =
    reasons.length === 0
      ? `Needed for more than ${MAX_UNSELECTED_RECORDS} records.`
      : `Needed, unless you give ${reasons.join(' or ')}.`;
  return {
    title,
    section: many.section,
    organization: view.organization,
    form,
    body: (
      <>
        {many.done !== null && (
          <p class="notice done" role="status">
            {many.done}
          </p>
        )}
        {many.about}
        {records.length === 0 && nothing !== undefined ? (
          <p>{nothing}</p>
        ) : (
          <FormCard
            action={many.action}
            form={form}
            fields={many.fields}
            shownValue={() => ''}
            button={selections.length > 0 ? `${many.button}: ${countOf(outcomes)}` : 'Show what changes'}
            needsReason={many.needsReason && reasons.length === 0}
            {...(defaultReason === undefined ? { reasonNeed } : {})}
            follows={selections.length > 0 ? 'You can undo it afterwards.' : null}
            back={many.back}
            details={<Outcomes many={many} outcomes={outcomes} people={people} />}
          >
            {selections.map((selection) => (
              <input key={selection} type="hidden" name={SELECTION} value={selection} />
            ))}
            {many.next !== null && <input type="hidden" name={NEXT} value={many.next} />}
          </FormCard>
        )}
      </>
    ),
  };
}

const typeOf = (id: string): string => familyOfPrefix(idPrefix(id)!)!.type;

/** Returns `12 records`, of those that change. */
function countOf(outcomes: readonly ManyOutcome[]): string {
  return recordsText(outcomes.filter(({ result }) => result !== 'UNCHANGED').length);
}

export const recordsText = (count: number): string => `${count} ${count === 1 ? 'record' : 'records'}`;

interface OutcomesProps {
  many: ManyForm;
  outcomes: readonly ManyOutcome[];
  people: NamesByKey;
}

/** The records of the form, each with what changes on it, or why it can't. */
function Outcomes({ many, outcomes, people }: OutcomesProps) {
  const { preview, view, records } = many;
  if (outcomes.length === 0) return null;
  const refused = outcomes.filter(({ error }) => error !== null).length;
  const names = new Map(records.map(({ id, name }) => [id, name]));
  return (
    <>
      {refused > 0 && (
        <p class="fault">
          {recordsText(refused)} can’t be changed so. Without {refused === 1 ? 'it' : 'them'}, press the button again.
        </p>
      )}
      {many.next !== null && <p class="sub">These are the first {outcomes.length}. The others follow.</p>}
      <Table
        caption={preview === null ? 'The records' : 'What changes'}
        head={preview === null ? ['Record'] : ['Record', 'Change']}
        rows={outcomes.map((outcome) => {
          const { id, error } = outcome;
          const name = names.get(id) ?? id;
          const plural = familyOfPrefix(idPrefix(id)!)!;
          return {
            key: id,
            cells: [
              <>
                <input type="checkbox" name={IDS} value={id} checked={error === null} aria-label={`Choose ${name}`} />{' '}
                <a href={recordPageAddress(view, plural, id)}>{name}</a>
              </>,
              ...(preview === null ? [] : [<OutcomeWords key="change" outcome={outcome} people={people} />]),
            ],
          };
        })}
      />
    </>
  );
}

/** A record's change in words. An answer lists the fields of its first records only. */
function OutcomeWords({ outcome, people }: { outcome: ManyOutcome; people: NamesByKey }) {
  const { id, changes, error, result, referredBy = 0 } = outcome;
  if (error !== null) return <span class="fault">{error.message}</span>;
  if (changes.length > 0) {
    // The time of the dry run is not the one that an archiving will have.
    const fields = changes.filter(({ field }) => field !== 'archived_at');
    return (
      <>
        {fields.length < changes.length && 'Becomes archived. '}
        <FieldChanges type={typeOf(id)} fields={fields} people={people} />
        {referredBy > 0 && (
          <small>{`${referredBy} live ${referredBy === 1 ? 'record refers' : 'records refer'} to it.`}</small>
        )}
      </>
    );
  }
  switch (result) {
    case 'UNCHANGED':
      return <span class="muted">Stays as it is</span>;
    case 'CREATED':
      return <>New link</>;
    default:
      return <>Changes like the others</>;
  }
}
