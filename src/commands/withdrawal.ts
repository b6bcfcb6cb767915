import type { FamilyDescription } from '../register/family-description.ts';
import type { Decider, DomainEvent, Past } from './engine/decider.ts';
import { Refusal } from './engine/refusal.ts';
import { countingEvents, differingFields, replay } from './past.ts';
import { requireReason } from './record.ts';

/** Returns the data of the event that withdraws a record's newest decision, such as a vendor's review. */
export function withdrawNewest<State extends object>(
  family: Pick<FamilyDescription, 'singular' | 'withdrawal'> &
    Pick<Decider<State, never, DomainEvent>, 'events' | 'evolve'>,
  state: State,
  past: Past,
  reason: string | undefined,
) {
  const { of: decisions, noun } = family.withdrawal!;
  const given = requireReason(reason, `why the ${noun} is withdrawn`);
  const { steps } = replay(family, past, countingEvents(past));
  // A review that is older than the newest has changed nothing.
  const newest = steps.findLast(
    ({ event, before, after }) => decisions.includes(event.type) && after !== before,
  )?.event;
  if (newest === undefined) {
    const message = `This ${family.singular} has no recorded ${noun} to withdraw. Read its history with getRecords.`;
    throw new Refusal('invalid_transition', message, { field: 'withdraw' });
  }
  const without = replay(
    family,
    past,
    countingEvents(past, ({ id }) => id === newest.id),
  );
  return { event_id: newest.id, fields: differingFields(state, without.state!), reason: given };
}
