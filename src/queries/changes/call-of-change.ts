import { CHANGES, type ChangeDocument, changeId, undoKey } from '../../projections/history/change-document.ts';
import type { QueryContext } from '../moments/moment.ts';

export interface CallOfChange {
  change: ChangeDocument;
  /** The number of all changes that the call wrote. */
  changes: number;
  adds: boolean;
  /** The change that undoes this one; null while the change counts. */
  undoneBy: ChangeDocument | null;
}

/** Undos of undos that are followed. The next one counts as not undone. */
const MAX_UNDOS_IN_TURN = 10;
/** Undos of the changes on one page that are read. */
const MAX_UNDOS_READ = 1_000;

/** Returns the calls that wrote changes, by the changes' positions. It makes the same few queries for one change as for 50. */
export async function callsOfChanges(
  context: QueryContext,
  positions: readonly string[],
): Promise<ReadonlyMap<string, CallOfChange>> {
  if (positions.length === 0) return new Map();
  const { snapshot, organizationId } = context;
  const ids = positions.map((position) => changeId(organizationId, Number(position)));
  const documents = (await snapshot.models.get(CHANGES.name, ids)).map(({ doc }) => doc as unknown as ChangeDocument);
  const [undoOf, calls] = await Promise.all([readUndos(context, documents), countByCall(context, documents)]);
  return new Map(
    documents.map((change) => {
      const { call_id, position } = change;
      return [String(position), { change, ...calls.get(call_id)!, undoneBy: undoOf(change) }];
    }),
  );
}

const keyOf = ({ call_id, stream }: ChangeDocument): string => undoKey(call_id, stream);

/** Returns a function that returns the newest undo of a change that is not undone itself. */
async function readUndos(
  { snapshot, organizationId, moment }: QueryContext,
  documents: readonly ChangeDocument[],
): Promise<(change: ChangeDocument) => ChangeDocument | null> {
  const undosByKey = new Map<string, ChangeDocument[]>();
  let keys = [...new Set(documents.map(keyOf))];
  for (let turn = 0; keys.length > 0 && turn < MAX_UNDOS_IN_TURN; turn += 1) {
    for (const key of keys) undosByKey.set(key, []);
    const rows = await snapshot.models.find({
      collection: CHANGES.name,
      organizationId,
      where: [{ key: 'record_id', op: 'in', values: keys }],
      order: { key: 'record_id', direction: 'ASC' },
      limit: MAX_UNDOS_READ,
    });
    const undos = rows.map(({ key, doc }) => ({ key: String(key), undo: doc as unknown as ChangeDocument }));
    for (const { key, undo } of undos) {
      if (moment.position === null || undo.position <= moment.position) undosByKey.get(key)!.push(undo);
    }
    keys = [...new Set(undos.map(({ undo }) => keyOf(undo)))].filter((key) => !undosByKey.has(key));
  }
  const undoOf = (change: ChangeDocument): ChangeDocument | null =>
    (undosByKey.get(keyOf(change)) ?? []).findLast((undo) => undoOf(undo) === null) ?? null;
  return undoOf;
}

async function countByCall(
  { snapshot, organizationId }: QueryContext,
  documents: readonly ChangeDocument[],
): Promise<ReadonlyMap<string, Pick<CallOfChange, 'changes' | 'adds'>>> {
  const calls = new Map(documents.map(({ call_id }) => [call_id, { changes: 0, adds: false }]));
  const where = [
    { key: 'call_id', op: 'in', values: [...calls.keys()] },
    { key: 'row_index', op: 'eq', value: 0 },
  ] as const;
  const query = { collection: CHANGES.name, organizationId, where };
  for (const { values, total } of await snapshot.models.count(query, ['call_id', 'revision'])) {
    const call = calls.get(String(values[0]))!;
    call.changes += total;
    call.adds ||= values[1] === 1;
  }
  return calls;
}
