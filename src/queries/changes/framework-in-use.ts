import { CHANGES, type ChangeDocument } from '../../projections/history/change-document.ts';
import type { QueryContext } from '../moments/moment.ts';
import { callsOfChanges } from './call-of-change.ts';
import { usedControls } from './written-by-call.ts';

const MAX_CHANGES_READ = 200;

/**
 * Returns true if a framework's controls are linked, or were changed since its adoption, so that an undo leaves it. A change
 * that was undone doesn't count.
 */
export async function isFrameworkInUse(context: QueryContext, frameworkId: string): Promise<boolean> {
  const { linked, changed } = await usedControls(context, frameworkId);
  if (linked.length > 0) return true;
  if (changed.length === 0) return false;
  const rows = await context.snapshot.models.find({
    collection: CHANGES.name,
    organizationId: context.organizationId,
    where: [
      { key: 'record_id', op: 'in', values: changed.map(({ id }) => id) },
      { key: 'row_index', op: 'eq', value: 0 },
    ],
    order: { key: 'record_id', direction: 'ASC' },
    limit: MAX_CHANGES_READ,
  });
  const own = rows
    .map(({ doc }) => doc as unknown as ChangeDocument)
    // A link has a stream of its own, so it doesn't change a control's revision.
    .filter(({ revision }) => revision !== null);
  const calls = await callsOfChanges(
    context,
    own.map(({ position }) => String(position)),
  );
  return [...calls.values()].some(({ change, undoneBy }) => undoneBy === null && !change.event_type.endsWith('Undone'));
}
