import type { RecordDetails } from '../../../queries/records/record-details.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { dayText } from '../../texts/dates.ts';
import { enumText } from '../field-content.tsx';
import { type Act, ARCHIVE } from './acts.ts';

/** The state that an act leads to and its record has already. */
export interface ReachedState {
  /** Says who set it and when: `already Closed, by Priya Raman, 26 Nov 2026`. */
  text: string;
  /** The parameters of the record's page that mark the change; none if the history shown is too short for it. */
  parameters: { change?: string };
}

/** Returns the state that the record has already, so that the act changes nothing; null for an act that would. */
export function reachedState(
  { workflow, fields, commonEvents }: FamilyDescription,
  { name, reaches }: Act,
  { record }: Pick<RecordDetails, 'record'>,
): ReachedState | null {
  const isArchived = typeof record.archived_at === 'string';
  if (isArchived ? name !== ARCHIVE : reaches === undefined || record[workflow!.field] !== reaches) return null;
  const state = isArchived ? 'archived' : enumText(fields[workflow!.field]!, reaches!);
  const change = record.history.changes.find(({ event_type, changes }) =>
    isArchived ? event_type === commonEvents.archived : changes.some(({ field }) => field === workflow!.field),
  );
  if (change === undefined) return { text: `already ${state}`, parameters: {} };
  const { actor, recorded_at, position } = change;
  return { text: `already ${state}, by ${actor.name}, ${dayText(recorded_at)}`, parameters: { change: position } };
}
