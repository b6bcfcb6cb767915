import { derivedId, idPrefix } from '../../commands/engine/ids.ts';
import type { ProposalState } from '../../commands/proposal.ts';
import { CHANGES, type ChangeDocument } from '../../projections/history/change-document.ts';
import type { ReadModel } from '../../projections/read-models/read-model.ts';
import type { Condition } from '../../stores/read-store.ts';
import { changeKeysOf } from '../changes/change-conditions.ts';
import { type ListedChange, presentChanges } from '../changes/list-changes.ts';
import type { AccountName } from '../changes/proposed-calls.ts';
import { isAsProposed } from '../changes/proposed-effects.ts';
import type { QueryContext } from '../moments/moment.ts';
import { eachProposalDocument } from '../proposal-documents.ts';

/** The change that a field's value comes from. */
export interface FieldAuthor {
  position: string;
  recorded_at: string;
  /** The person who acted or proposed, or whose credential did. */
  actor: ListedChange['actor'];
  /** The program through which they did. */
  client: string | null;
  how: 'DIRECT' | 'PROPOSED' | 'IMPORTED' | 'UNKNOWN';
  proposal_id?: string;
  /** The person who approved the proposal. */
  approved_by?: AccountName;
}

/** The changes of a record in which most fields' authors stand. */
const NEWEST_CHANGES = 100;

/** The client that the command line names for a file. */
const FILE_IMPORT = 'veritrail import';

/**
 * Returns who wrote each field of a record at the context's moment. A field that never had a value has no author, and
 * neither has one that follows from others.
 */
export async function fieldAuthors(
  context: QueryContext,
  { family }: Pick<ReadModel, 'family'>,
  record: Readonly<Record<string, unknown>>,
): Promise<Record<string, FieldAuthor>> {
  const id = String(record.id);
  const found = await newestChanges(context, id, {
    fields: family.historyFields.filter((field) => field in record),
    hasValue: (field) => hasValue(record[field]),
  });
  const changes = [...new Set(found.map(({ change }) => change))];
  const presented = await presentChanges(context, changes);
  const effects = await effectsOfChanged(context, presented);
  return Object.fromEntries(
    family.historyFields.flatMap((name) => {
      const author = found.find(({ field }) => field === name);
      if (author === undefined) return [];
      const { change: stored } = author;
      const change = presented[changes.indexOf(stored)]!;
      const proposed = change.proposal && effects.get(change.proposal.id);
      return [[name, authorOf(id, stored, change, proposed === undefined || isProposed(proposed, stored, name))]];
    }),
  );
}

const hasValue = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

/** A field with the newest change of it. */
interface ChangedField {
  field: string;
  change: ChangeDocument;
}

/**
 * Finds the newest change of each field. Most stand in a record's newest changes. For the others one row each is read, since a
 * record may have thousands of changes with long texts. A control begins with what its framework's adoption says.
 */
async function newestChanges(
  { snapshot, organizationId, moment }: QueryContext,
  id: string,
  { fields, hasValue }: { fields: readonly string[]; hasValue: (field: string) => boolean },
): Promise<ChangedField[]> {
  const read = async (key: string, limit: number, where: readonly Condition[] = []): Promise<ChangeDocument[]> => {
    const { position } = moment;
    const until: Condition[] = position === null ? [] : [{ key: 'position', op: 'range', lte: position }];
    const rows = await snapshot.models.find({
      collection: CHANGES.name,
      organizationId,
      where: [{ key: 'record_id', op: 'eq', value: key }, ...until, ...where],
      order: { key: 'position', direction: 'DESC' },
      limit,
    });
    return rows.map(({ doc }) => doc as unknown as ChangeDocument);
  };
  const found = new Map<string, ChangeDocument>();
  const newest = await read(id, NEWEST_CHANGES);
  for (const change of newest) {
    for (const { field } of change.changes) if (!found.has(field)) found.set(field, change);
  }
  const isWhole = newest.length < NEWEST_CHANGES;
  for (const field of isWhole ? [] : fields.filter((name) => !found.has(name))) {
    const [change] = await read(id, 1, [{ key: 'fields', op: 'has', value: field }]);
    if (change !== undefined) found.set(field, change);
  }
  const [, origin] = changeKeysOf([id]);
  const [adoption] = origin === undefined ? [] : await read(origin, 1);
  return fields.flatMap((field) => {
    const change = found.get(field) ?? (hasValue(field) ? adoption : undefined);
    return change === undefined ? [] : [{ field, change }];
  });
}

/** Reads what those proposals would have done that were approved otherwise, by their ids. */
async function effectsOfChanged({ snapshot, organizationId }: QueryContext, changes: readonly ListedChange[]) {
  const ids = changes.flatMap(({ proposal }) => (proposal?.changed ? [proposal.id] : []));
  const found = new Map<string, ProposalState['effects']>();
  if (ids.length === 0) return found;
  const where = [{ op: 'ids', ids: [...new Set(ids)] }] as const;
  const order = { key: null, direction: 'ASC' } as const;
  for await (const { id, effects } of eachProposalDocument(snapshot, { organizationId, where, order }))
    found.set(id, effects);
  return found;
}

/** Returns true if a change gave a field the value that was proposed. */
function isProposed(effects: ProposalState['effects'], { record, changes }: ChangeDocument, name: string): boolean {
  const value = changes.find(({ field }) => field === name)?.to;
  return effects.some(
    (effect) =>
      effect.record_id === record.id &&
      effect.changes.some(({ field, to }) => field === name && isAsProposed(to, value)),
  );
}

/** @param isOfProposer false for a value that the person who approved wrote */
function authorOf(id: string, stored: ChangeDocument, change: ListedChange, isOfProposer: boolean): FieldAuthor {
  const { position, recorded_at, actor, client, proposal } = change;
  const at = { position, recorded_at };
  if (proposal !== undefined) {
    const proposer = { ...proposal.proposed_by, kind: 'ACCOUNT' };
    const approval = { proposal_id: proposal.id, approved_by: { id: actor.id, name: actor.name } };
    const author = isOfProposer ? { actor: proposer, client: proposal.client } : { actor, client };
    return { ...at, ...author, how: 'PROPOSED', ...approval };
  }
  return { ...at, actor, client, how: howWritten(id, stored) };
}

/** The log doesn't say through which program an early event came, unless by a token. */
function howWritten(id: string, change: ChangeDocument): FieldAuthor['how'] {
  if (change.client?.name === FILE_IMPORT || isAddedByRow(id, change)) return 'IMPORTED';
  const isKnown = change.client !== null || change.token_id !== null || change.actor_id === 'SYSTEM';
  return isKnown ? 'DIRECT' : 'UNKNOWN';
}

/** A call on many adds records by rows only, but for evidence that replaces another one: its id follows from the call. */
function isAddedByRow(id: string, { record, revision, call_id, is_item }: ChangeDocument): boolean {
  return is_item === true && record.id === id && revision === 1 && id !== derivedId(idPrefix(id)!, call_id);
}
