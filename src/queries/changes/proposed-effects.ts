import type { RehearsalHandler, RehearsedCommand } from '../../commands/engine/rehearsal-handler.ts';
import { familyOf } from '../../commands/families.ts';
import type { LinkState } from '../../commands/link.ts';
import { fieldDifferences, linkFieldChanges } from '../../projections/history/change-rows.ts';
import { idsOfPairStream, isCrosswalkStream, isLinkStream, recordIdOf } from '../../projections/models.ts';
import type { ProposedChange, ProposedEffect } from '../../register/proposal.ts';

const NOT_LINKED: LinkState = { linked: false, relation: null };

/** Stands for the time at which a person approves, in place of the time of the rehearsal. */
export const TIME_OF_APPROVAL = 'NOW';

/** Returns what a call would do to each record and link, as the history would have it. */
export function proposedEffects({ rehearsed, startedAt, now }: RehearsalHandler): ProposedEffect[] {
  const end = now();
  return rehearsed.map((command) => {
    const { changes, ...effect } = effectOf(command);
    return { ...effect, changes: changes.map((change) => ({ ...change, to: withoutTime(change.to, startedAt, end) })) };
  });
}

/** Replaces the times of the rehearsal in a value. */
function withoutTime(value: unknown, from: string, until: string): unknown {
  if (typeof value === 'string') return value >= from && value <= until ? TIME_OF_APPROVAL : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutTime(item, from, until));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTime(member, from, until)]));
}

function effectOf({ stream, rehearsal: { event_types, before, state } }: RehearsedCommand): ProposedEffect {
  if (isCrosswalkStream(stream)) {
    const [record_id, linked_id] = idsOfPairStream(stream);
    return { record_id, linked_id, event_types, changes: [] };
  }
  if (isLinkStream(stream)) {
    const [record_id, linked_id] = idsOfPairStream(stream);
    const transition = { before: (before as LinkState | null) ?? NOT_LINKED, after: state as LinkState };
    return { record_id, linked_id, event_types, changes: linkFieldChanges(transition, record_id, linked_id) };
  }
  const record_id = recordIdOf(stream);
  return { record_id, event_types, changes: recordDifferences(record_id, before, state) };
}

/** Returns a record's changed fields. A new record's empty fields don't count. */
function recordDifferences(id: string, before: object | null, state: object | null): ProposedChange[] {
  const changes = fieldDifferences(familyOf(id).historyFields, before ?? {}, state ?? {});
  return changes.filter(({ from, to }) => before !== null || !isEmptyValue(from, to));
}

const isEmptyValue = (from: unknown, to: unknown) => from === null && Array.isArray(to) && to.length === 0;
