import { endOfPeriod, MAX_DATE, missingDay, startOfPeriod } from '../../commands/engine/dates.ts';
import { frameworkOfControl, idPrefix } from '../../commands/engine/ids.ts';
import { nearestNames } from '../../commands/engine/nearest.ts';
import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { accountOf, type Caller } from '../../commands/organization/caller.ts';
import { adoptionKey, SEAL_ROW_INDEX } from '../../projections/history/change-document.ts';
import { READ_MODELS } from '../../projections/models.ts';
import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import { fieldSources } from '../../register/field-sources.ts';
import type { Condition } from '../../stores/read-store.ts';
import { isSealEventType } from '../../trail/seals/seal-events.ts';
import { keyIn } from '../lists/filters.ts';
import { completedPosition, POSITION, type QueryContext, reversedPeriod } from '../moments/moment.ts';
import type { ChangesInput } from './changes-input.ts';
import { MAX_SUGGESTIONS, refuseUnknownEventTypes } from './refuse-unknown-event-types.ts';

/** Returns the condition on the changes of records. A control's changes start with its framework's adoption. */
export function recordCondition(ids: readonly string[]): Condition {
  return keyIn('record_id', changeKeysOf(ids));
}

/** Returns the keys under which records' changes are stored. */
export function changeKeysOf(ids: readonly string[]): string[] {
  const adoptions = ids.filter((id) => idPrefix(id) === 'ctl').map((id) => adoptionKey(frameworkOfControl(id)));
  return [...ids, ...new Set(adoptions)];
}

/** Turns a filter of changes into conditions on stored rows. */
export async function changeConditions(
  context: QueryContext,
  caller: Caller,
  filter: ChangesInput['filter'] = {},
): Promise<Condition[]> {
  const { record_id, record_types, actor_id, call_id, event_types, field, from, to } = filter;
  const { position } = context.moment;
  refuseReversedPeriod(from, to);
  refuseUnknownEventTypes(event_types, context.snapshot.accessLog);
  const where: Condition[] = [];
  if (record_id) where.push(recordCondition(record_id));
  if (record_types) where.push(keyIn('record_type', record_types));
  if (!record_id && !record_types) where.push(firstRowCondition(event_types));
  if (actor_id) where.push(actorCondition(actor_id, caller));
  if (call_id !== undefined) where.push({ key: 'call_id', op: 'eq', value: call_id });
  if (event_types) where.push(keyIn('event_type', event_types));
  if (field !== undefined) where.push(fieldCondition(field));
  if (position !== null) where.push({ key: 'position', op: 'range', lte: position });
  if (from !== undefined) where.push(await periodBound(context, 'from', from));
  if (to !== undefined) where.push(await periodBound(context, 'to', to));
  return where;
}

/**
 * Returns the condition that shows each event once, by its first row. Seals are shown only if event_types asks for them,
 * because there are many.
 */
export function firstRowCondition(eventTypes: readonly string[] | undefined): Condition {
  const withSeals = eventTypes?.some(isSealEventType);
  return withSeals ? keyIn('row_index', [0, SEAL_ROW_INDEX]) : { key: 'row_index', op: 'eq', value: 0 };
}

/** The fields that the history records, and `linked` of links. */
const CHANGED_FIELDS = [...new Set(['linked', ...READ_MODELS.flatMap(({ family }) => family.historyFields)])];

/** Returns the condition on changes of a field. @throws Refusal for a field that no record has */
function fieldCondition(field: string): Condition {
  if (CHANGED_FIELDS.includes(field)) return { key: 'fields', op: 'has', value: field };
  const source = SOURCES.get(field);
  const mentioned = CHANGED_FIELDS.filter((name) => source?.split(/\W+/).includes(name));
  const allowed = mentioned.length > 0 ? mentioned : nearestNames(field, CHANGED_FIELDS, MAX_SUGGESTIONS);
  const problem =
    source === undefined ? 'is not a field of any record' : `has no changes of its own, because it ${source}`;
  const message = `"${field}" ${problem}. Try ${allowed.join(' or ')}.`;
  throw new Refusal('invalid_input', message, { field: 'filter.field', allowed });
}

/** Where the values of fields come from that the history doesn't record. */
const SOURCES = new Map(FAMILY_DESCRIPTIONS.flatMap((family) => [...fieldSources(family)]));

/** Returns the condition on actors: either accounts and SYSTEM, or tokens. */
function actorCondition(ids: readonly string[], caller: Caller): Condition {
  const tokens = ids.filter((id) => id.startsWith('tok_'));
  if (tokens.length === 0) {
    return keyIn(
      'actor_id',
      ids.map((id) => accountOf(id, caller)),
    );
  }
  if (tokens.length === ids.length) return keyIn('token_id', tokens);
  throw invalidField('filter.actor_id', 'actor_id mixes accounts and tokens. Make one call for each.');
}

/** Refuses a period that ends before it begins. It compares two dates or times, or two positions. */
function refuseReversedPeriod(from: string | undefined, to: string | undefined): void {
  if (from === undefined || to === undefined) return;
  const positions = [from, to].every((text) => POSITION.test(text));
  const isReversed = positions
    ? Number(from) > Number(to)
    : (startOfPeriod(from) ?? '') > (endOfPeriod(to) ?? MAX_DATE);
  if (isReversed) throw reversedPeriod('filter.from');
}

/** Returns an inclusive bound of the period: on the position, or for a date or time on the log time. */
export async function periodBound(
  { snapshot, organizationId }: QueryContext,
  field: 'from' | 'to',
  text: string,
): Promise<Condition> {
  const operator = field === 'from' ? 'gte' : 'lte';
  if (POSITION.test(text)) return { key: 'position', op: 'range', [operator]: Number(text) };
  if (idPrefix(text) === 'aud') {
    const completed = await completedPosition(snapshot, organizationId, text, `filter.${field}`);
    return { key: 'position', op: 'range', [operator]: completed };
  }
  const time = field === 'from' ? startOfPeriod(text) : endOfPeriod(text);
  if (time !== null) return { key: 'log_time', op: 'range', [operator]: time };
  const day = missingDay(text);
  const problem = day === null ? '' : `${day} does not exist in the calendar. `;
  const message = `${problem}Give ${field} as a date, a timestamp in UTC, a completed audit’s id, or a position.`;
  throw new Refusal('invalid_input', message, { field: `filter.${field}` });
}
