import type { ComponentChildren } from 'preact';
import { idPrefix } from '../../../commands/engine/ids.ts';
import type { ListedChange } from '../../../queries/changes/list-changes.ts';
import { documentsAt } from '../../../queries/records/record-links.ts';
import { familyOfPrefix, familyOfType } from '../../../register/families.ts';
import { recordName } from '../../../reports/sections/records.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { Table } from '../../components/components.tsx';
import { withRoleNames } from '../../texts/role-labels.ts';
import { FieldChanges, fieldLabel, RecordLink, readNamesInChanges } from '../change-words.tsx';
import type { RegisterView } from '../open-register.ts';
import { numberedName } from '../record/numbered-name.ts';
import type { StayingRecord, UndoAnswer } from './undo-answer.ts';

type FieldChange = ListedChange['changes'][number];
type RecordReference = ListedChange['record'];

/** Records and links that the page names. */
const MAX_LISTED = 50;

/** The effect that an undo would have, with the names of the records and people in it. */
export interface UndoPreviewContent {
  /** The records that go back, and the other record of each link. */
  back: readonly { record: RecordReference; linked?: RecordReference; changes: readonly FieldChange[] }[];
  moreBack: number;
  stays: readonly { record: RecordReference; linked?: RecordReference; staying: StayingRecord }[];
  moreStays: number;
  people: NamesByKey;
}

type PreviewView = Pick<RegisterView, 'snapshot' | 'organization' | 'past' | 'today'>;

/** Reads the names for an undo's dry run. */
export async function readUndoPreview(
  view: PreviewView,
  { rows, links = [], changes = [], skipped = [], more_skipped = 0 }: UndoAnswer,
): Promise<UndoPreviewContent> {
  const changesOf = (id: string) => changes.filter(({ record_id }) => record_id === id);
  const ends = links.map(({ from_id, to_id }) => ({ id: from_id, linked_id: to_id }));
  const going = [...rows.flatMap(({ id }) => (id === undefined ? [] : [{ id, linked_id: undefined }])), ...ends];
  const listed = going.slice(0, MAX_LISTED);
  const listedStays = skipped.slice(0, MAX_LISTED);
  const ids = [...listed, ...listedStays].flatMap(({ id, linked_id }) => [id, ...(linked_id ? [linked_id] : [])]);
  const context = {
    snapshot: view.snapshot,
    organizationId: view.organization.id,
    moment: { today: view.today, position: null },
  };
  const names = new Map((await documentsAt(context, [...new Set(ids)])).map((record) => [String(record.id), record]));
  const referenceTo = (id: string): RecordReference => {
    const { type } = familyOfPrefix(idPrefix(id)!)!;
    const record = names.get(id);
    const name = record === undefined ? id : numberedName({ ...record, name: recordName(record) });
    return { id, type, name };
  };
  const named = ({ id, linked_id }: { id: string; linked_id?: string | undefined }) => ({
    record: referenceTo(id),
    ...(linked_id === undefined ? {} : { linked: referenceTo(linked_id) }),
  });
  const back = listed.map((one) => ({
    ...named(one),
    changes: one.linked_id === undefined ? changesOf(one.id).filter(({ field }) => field !== 'linked') : linkOf(one),
  }));
  function linkOf({ id, linked_id }: { id: string; linked_id?: string | undefined }) {
    return changesOf(id).filter(({ field, from }) => field === 'linked' && from === linked_id);
  }
  return {
    back,
    moreBack: going.length - listed.length,
    stays: listedStays.map((staying) => ({ ...named(staying), staying })),
    moreStays: skipped.length - listedStays.length + more_skipped,
    people: await readNamesInChanges(view, back),
  };
}

/** The records and links that go back, each with its values now and after the undo, and those that stay, with the reason. */
export function UndoPreview({ view, preview }: { view: PreviewView; preview: UndoPreviewContent }) {
  const { back, moreBack, stays, moreStays, people } = preview;
  return (
    <>
      {back.length > 0 && (
        <Table
          caption="What goes back"
          head={['Record', 'Now, and after the undo']}
          rows={back.map(({ record, linked, changes }) => ({
            key: `${record.id} ${linked?.id}`,
            cells: [
              <RecordLink key="record" view={view} record={record} />,
              linked === undefined ? (
                <BackFields type={record.type} changes={changes} people={people} />
              ) : (
                <>
                  {changes.length > 0 ? 'No longer linked with ' : 'Linked as before with '}
                  <RecordLink view={view} record={linked} />
                </>
              ),
            ],
          }))}
        />
      )}
      {moreBack > 0 && <p>And {moreBack} more.</p>}
      {stays.length > 0 && (
        <>
          <h2>What stays</h2>
          <ul>
            {stays.map(({ record, linked, staying }) => (
              <li key={`${record.id} ${linked?.id}`}>
                <RecordLink view={view} record={record} />
                {linked !== undefined && (
                  <>
                    {' linked with '}
                    <RecordLink view={view} record={linked} />
                  </>
                )}
                {': '}
                {reasonToStay(record.type, staying, people)}
              </li>
            ))}
          </ul>
        </>
      )}
      {moreStays > 0 && <p>{moreStays} more stay.</p>}
    </>
  );
}

/** The fields of a record before and after an undo. A record that the call added is archived. */
function BackFields({ type, changes, people }: { type: string; changes: readonly FieldChange[]; people: NamesByKey }) {
  const archival = changes.find(({ field }) => field === 'archived_at');
  return (
    <>
      {archival !== undefined && (archival.to === null ? 'Restored' : 'Archived')}
      <FieldChanges type={type} fields={changes.filter((change) => change !== archival)} people={people} />
    </>
  );
}

function reasonToStay(type: string, { why, message, fields }: StayingRecord, people: NamesByKey): ComponentChildren {
  switch (why) {
    case 'CHANGED_SINCE': {
      if (fields === undefined) return message ?? 'somebody changed it since.';
      const described = familyOfType(type)?.fields;
      return `${fields.map((name) => fieldLabel(name, described?.[name], people)).join(', ')} changed since.`;
    }
    case 'LINKED_SINCE':
      return message ?? 'somebody linked it since.';
    case 'OWNER_GONE':
      return 'the owner before is no longer a member.';
    case 'REFUSED':
      return withRoleNames(message ?? '');
  }
}
