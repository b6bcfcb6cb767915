import { familyQueryOfType } from '../../queries/family-query.ts';
import { findAll } from '../../queries/lists/find-all.ts';
import { versionConditions } from '../../queries/moments/moment.ts';
import { CONTROL } from '../../register/control.ts';
import { FRAMEWORK } from '../../register/framework.ts';
import { recordTypesOf } from '../sections/changes-section.ts';
import type { ComparedMoments } from './moved-records.ts';

/** With more adopted controls, a comparison lists no records. */
const MAX_ADOPTED_CONTROLS = 5_000;

/**
 * Returns the ids of the controls whose frameworks were adopted between two moments. The adoption is an event of the
 * framework: its controls begin with it, without a change of their own. Null for more than MAX_ADOPTED_CONTROLS.
 */
export async function adoptedControls({ before, after }: ComparedMoments): Promise<readonly string[] | null> {
  if (recordTypesOf(after)?.includes(CONTROL.type) === false) return [];
  const { snapshot, organizationId, moment, inputs } = after;
  const adoptions = await findAll(snapshot.models, {
    collection: 'changes',
    organizationId,
    where: [
      { key: 'record_type', op: 'eq', value: FRAMEWORK.type },
      { key: 'event_type', op: 'eq', value: FRAMEWORK.commonEvents.added },
      { key: 'row_index', op: 'eq', value: 0 },
      { key: 'position', op: 'range', gt: before.moment.position, lte: moment.position },
    ],
  });
  const ids: string[] = [];
  for (const { record } of adoptions as unknown as readonly { record: { id: string } }[]) {
    const controls = await findAll(snapshot.models, {
      collection: familyQueryOfType(CONTROL.type).history,
      organizationId,
      where: [{ key: 'framework_id', op: 'eq', value: record.id }, ...versionConditions(moment.position)],
    });
    const compared = controls.filter(({ owner_id }) => inputs.owner_id === undefined || owner_id === inputs.owner_id);
    ids.push(...compared.map(({ id }) => String(id)));
    if (ids.length > MAX_ADOPTED_CONTROLS) return null;
  }
  return ids;
}
