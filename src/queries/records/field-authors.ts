import { derivedId, idPrefix } from '../../commands/engine/ids.ts';
import type { ProposalState } from '../../commands/proposal.ts';
import type { ChangeDocument } from '../../projections/history/change-document.ts';
import type { ReadModel } from '../../projections/read-models/read-model.ts';
import { changeKeysOf } from '../changes/change-conditions.ts';
import { type ListedChange, presentChanges } from '../changes/list-changes.ts';
import type { AccountName } from '../changes/proposed-calls.ts';
import { isAsProposed } from '../changes/proposed-effects.ts';
import { readKeysetPages } from '../lists/keyset-page.ts';
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

const CHANGES_PER_READ = 100;

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
  const missing = new Set(family.historyFields.filter((field) => field in record));
  const found: { field: string; change: ChangeDocument }[] = [];
  for await (const change of changesOf(context, id)) {
    const fields = change.record.id === id ? change.changes.map(({ field }) => field) : [...missing].filter(hasValue);
    for (const field of fields) if (missing.delete(field)) found.push({ field, change });
    if (missing.size === 0) break;
  }
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

  // A control begins with what its framework's adoption says.
  function hasValue(field: string): boolean {
    const value = record[field];
    return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
  }
}

/** Reads a record's changes, newest first. The last one of a control is the adoption of its framework. */
async function* changesOf(
  { snapshot, organizationId, moment }: QueryContext,
  id: string,
): AsyncGenerator<ChangeDocument> {
  for (const key of changeKeysOf([id])) {
    const pages = readKeysetPages(() => snapshot.models, {
      collection: 'changes',
      organizationId,
      where: [
        { key: 'record_id', op: 'eq', value: key },
        ...(moment.position === null ? [] : [{ key: 'position', op: 'range', lte: moment.position } as const]),
      ],
      order: { key: 'position', direction: 'DESC', isNeverEmpty: true },
      size: CHANGES_PER_READ,
      after: null,
    });
    for await (const rows of pages) for (const { doc } of rows) yield doc as unknown as ChangeDocument;
  }
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
