import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { isAddition } from '../../../commands/proposal.ts';
import { setOnApproval } from '../../../queries/changes/proposed-effects.ts';
import type { Proposal } from '../../../queries/proposals.ts';
import { documentsAt } from '../../../queries/records/record-links.ts';
import { familyOfPrefix } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { relationLabel } from '../../../register/link.ts';
import { effectKey, type ProposedEffect } from '../../../register/proposal.ts';
import { proposalWords } from '../../../register/proposal-words.ts';
import { recordName } from '../../../reports/sections/records.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { eventText } from '../../texts/event-words.ts';
import { Before, FieldChanges, readNamesInChanges, recordAddress } from '../change-words.tsx';
import { inWords } from '../forms/refused-form.ts';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { numberedName } from '../record/numbered-name.ts';

const isOrganization = (id: string): boolean => idPrefix(id) === 'org';
const typeOf = (id: string): string =>
  isOrganization(id) ? 'ORGANIZATION' : (familyOfPrefix(idPrefix(id) ?? '')?.type ?? 'UNKNOWN');

/** Returns what is proposed, in words: "Close finding: NC-03", or "Archive 7 risks". */
export function proposalTitle({ effects }: Pick<Proposal, 'effects'>, names: NamesByKey): string {
  const words = proposalWords(effects);
  const [first, ...others] = effects;
  const name = first && (nameOf(first.record_id, names) ?? newName(first));
  if (others.length > 0 || name === undefined) return words;
  const linked = nameOf(first!.linked_id ?? '', names);
  return `${words}: ${name}${linked === undefined ? '' : ` and ${linked}`}`;
}

/** Returns the last event in words. It says most: corrections come before the decision. */
export const lastEventText = ({ event_types }: ProposedEffect): string => eventText(event_types.at(-1)!);

/** Returns what an approval did, such as "1 record added." or "2 links changed.". */
export function resultText(effects: readonly ProposedEffect[], done: number): string {
  const links = effects.filter(({ linked_id }) => linked_id !== undefined).length;
  const noun = links === 0 ? 'record' : links === effects.length ? 'link' : 'change';
  const act = noun === 'change' ? 'made' : effects.every(isAddition) ? 'added' : 'changed';
  return `${done} ${noun}${done === 1 ? '' : 's'} ${act}.`;
}

/** Reads the names of the records and people in these effects, by id. */
export async function readEffectNames(view: RegisterView, effects: readonly ProposedEffect[]): Promise<NamesByKey> {
  const { snapshot, organization } = view;
  const changes = effects.map(({ record_id, changes }) => ({
    record: { id: record_id, type: typeOf(record_id), name: '' },
    changes: [...changes],
  }));
  const names = new Map(await readNamesInChanges(view, changes));
  const position = snapshot.newestPosition(organization.id);
  const context = { snapshot, organizationId: organization.id, moment: { today: snapshot.today(), position } };
  const ids = effects.flatMap(({ record_id, linked_id }) => [
    record_id,
    ...(linked_id === undefined ? [] : [linked_id]),
  ]);
  names.set(organization.id, organization.name);
  for (const record of await documentsAt(
    context,
    [...new Set(ids)].filter((id) => !isOrganization(id)),
  )) {
    const { reference_id } = record as { reference_id?: unknown };
    names.set(String(record.id), numberedName({ reference_id, name: recordName(record) }));
  }
  for (const effect of effects) {
    const name = isAddition(effect) ? newName(effect) : undefined;
    if (name !== undefined) names.set(keyOfNew(effect.record_id), name);
  }
  return names;
}

/** The key under which names have a record that one of the effects would add. */
const keyOfNew = (id: string): string => `new ${id}`;

/** Returns the name of a record, or the one that it would get. */
const nameOf = (id: string, names: NamesByKey): string | undefined => names.get(id) ?? names.get(keyOfNew(id));

/** Returns false for the time of an archiving, of which the name of the event says all. */
const isMoreThanItsEvent = ({ field, to }: ProposedEffect['changes'][number]): boolean =>
  field !== 'linked' && field !== 'relation' && (field !== 'archived_at' || setOnApproval(to) !== 'TIME');

interface EffectsProps {
  view: RegisterView;
  effects: readonly ProposedEffect[];
  names: NamesByKey;
  /** The id of the form by which rows can be left out. Without it all stay. */
  chosenBy?: string | undefined;
}

/** The name of the fields that choose proposals. */
export const CHOSEN = 'id';

/** Returns the address of the page that decides on several proposals. */
export function severalAddress(view: RegisterView, proposals: readonly Pick<Proposal, 'id'>[]): string {
  return registerAddress(view, '/proposals/several', { [CHOSEN]: proposals.map(({ id }) => id) });
}

/** The name of the check boxes that choose rows, and that of the field of a form that has them. */
export const ROW = 'row';
export const IN_ROWS = 'in_rows';

/** Advice that names a tool. A person has forms. */
const TOOL_ADVICE = / Call [a-z]{1,20}[A-Z]\w{0,40} [^.]{0,200}\./g;

/** Returns why a proposal can't be done, or was not, in the words of pages. */
export function refusedText(message: string, { effects }: Pick<Proposal, 'effects'>): string {
  const family: FamilyDescription | undefined = familyOfPrefix(idPrefix(effects[0]?.record_id ?? '') ?? '');
  return (family === undefined ? message : inWords(message, family, new Map())).replace(TOOL_ADVICE, '');
}

/** Lists the effects of a proposal on each record: before and after, as the history would tell it. */
export function ProposalEffects({ view, effects, names, chosenBy }: EffectsProps) {
  if (effects.length === 0) return <p>Nothing.</p>;
  return (
    <ol class="plain">
      {effects.map((effect) => (
        <li key={`${effect.record_id} ${effect.linked_id}`}>
          <div>
            {chosenBy !== undefined && (
              <>
                <input
                  type="checkbox"
                  name={ROW}
                  value={effectKey(effect)}
                  form={chosenBy}
                  checked
                  aria-label={`Approve ${proposalTitle({ effects: [effect] }, names)}`}
                />{' '}
              </>
            )}
            <b>{effect.event_types.map(eventText).join(', ')}</b>
            {': '}
            <EffectRecord view={view} id={effect.record_id} effect={effect} names={names} />
            {effect.linked_id !== undefined && (
              <>
                <Relation effect={effect} />
                <EffectRecord view={view} id={effect.linked_id} effect={effect} names={names} />
              </>
            )}
          </div>
          <FieldChanges
            type={typeOf(effect.record_id)}
            fields={effect.changes.filter(isMoreThanItsEvent)}
            people={names}
          />
        </li>
      ))}
    </ol>
  );
}

/** The words between two linked records: the relation before and after, or "and". */
function Relation({ effect: { changes } }: { effect: ProposedEffect }) {
  const relation = changes.find(({ field }) => field === 'relation');
  const [before, after] = [relationLabel(relation?.from), relationLabel(relation?.to)];
  if (after === null) return <> {before?.toLowerCase() ?? 'and'} </>;
  return (
    <>
      {' '}
      {before !== null && <Before words={before.toLowerCase()} />}
      <ins>{after.toLowerCase()}</ins>{' '}
    </>
  );
}

/** A record by name, with a link; a new one by the name that it would get. */
function EffectRecord(props: { view: RegisterView; id: string; effect: ProposedEffect; names: NamesByKey }) {
  const { view, id, effect, names } = props;
  const known = names.get(id);
  if (known === undefined) return <>{newName(effect) ?? nameOf(id, names) ?? 'a new record'}</>;
  return <a href={effectAddress(view, effect, id)}>{known}</a>;
}

/** Returns the address of a record that an effect names: by default the one that it changes. */
export function effectAddress(view: RegisterView, { record_id }: ProposedEffect, id = record_id): string {
  if (isOrganization(id)) return organizationAddress(id, '/settings');
  return recordAddress(view, { id, type: typeOf(id) })!;
}

/** Returns the name that a new record would get. */
function newName({ changes }: ProposedEffect): string | undefined {
  const change = changes.find(({ field }) => field === 'name' || field === 'description');
  return change === undefined ? undefined : String(change.to);
}
