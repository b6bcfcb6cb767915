import type { Proposal } from '../../../queries/proposals.ts';
import { documentsAt } from '../../../queries/records/record-links.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { ProposedEffect } from '../../../register/proposal.ts';
import { recordName } from '../../../reports/sections/records.ts';
import type { NamesByKey } from '../../../texts/value-text.ts';
import { eventText } from '../../texts/event-words.ts';
import { FieldChanges, readNamesInChanges } from '../change-words.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';

const typeOf = (id: string): string =>
  FAMILY_DESCRIPTIONS.find(({ prefix }) => id.startsWith(`${prefix}_`))?.type ?? 'UNKNOWN';

/** Returns what a proposal would do, in words: "Finding closed: NC-03", or "Risk archived: R-12 and 6 more". */
export function proposalTitle({ effects, tool }: Pick<Proposal, 'effects' | 'tool'>, names: NamesByKey): string {
  const [first] = effects;
  if (first === undefined) return tool;
  // The last event of a call says most: corrections come before the decision.
  const event = eventText(first.event_types.at(-1)!);
  const name = names.get(first.record_id) ?? newName(first);
  const more = effects.length === 1 ? '' : ` and ${effects.length - 1} more`;
  return `${event}${name === undefined ? '' : `: ${name}`}${more}`;
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
  for (const record of await documentsAt(context, [...new Set(ids)])) names.set(String(record.id), recordName(record));
  return names;
}

interface EffectsProps {
  view: RegisterView;
  effects: readonly ProposedEffect[];
  names: NamesByKey;
}

/** Lists the effects of a proposal on each record: before and after, as the history would tell it. */
export function ProposalEffects({ view, effects, names }: EffectsProps) {
  if (effects.length === 0) return <p>Nothing.</p>;
  return (
    <ol class="plain">
      {effects.map((effect) => (
        <li key={`${effect.record_id} ${effect.linked_id}`}>
          <p>
            <b>{effect.event_types.map(eventText).join(', ')}</b>
            {': '}
            <EffectRecord view={view} id={effect.record_id} effect={effect} names={names} />
            {effect.linked_id !== undefined && (
              <>
                {' and '}
                <EffectRecord view={view} id={effect.linked_id} effect={effect} names={names} />
              </>
            )}
          </p>
          {effect.linked_id === undefined && (
            <FieldChanges type={typeOf(effect.record_id)} fields={effect.changes} people={names} />
          )}
        </li>
      ))}
    </ol>
  );
}

/** A record by name, with a link; a new one by the name that it would get. */
function EffectRecord(props: { view: RegisterView; id: string; effect: ProposedEffect; names: NamesByKey }) {
  const { view, id, effect, names } = props;
  const known = names.get(id);
  if (known === undefined) return <>{newName(effect) ?? 'a new record'}</>;
  const family = FAMILY_DESCRIPTIONS.find(({ prefix }) => id.startsWith(`${prefix}_`))!;
  return <a href={registerAddress(view, `/${family.plural}/${id}`)}>{known}</a>;
}

/** Returns the name that a new record would get. */
function newName({ changes }: ProposedEffect): string | undefined {
  const change = changes.find(({ field }) => field === 'name' || field === 'description');
  return change === undefined ? undefined : String(change.to);
}
