import { CHANGES, type ChangeDocument } from '../../projections/history/change-document.ts';
import {
  idsOfPairStream,
  isCrosswalkStream,
  isLinkStream,
  modelOfStream,
  recordIdOf,
} from '../../projections/models.ts';
import type { RecordDocument } from '../../projections/read-models/read-model.ts';
import { OPEN_END } from '../../projections/relations/related-counts.ts';
import { familyOfType } from '../../register/families.ts';
import { type DirectedRelation, type RelationOfRecord, relationBetween } from '../../register/link.ts';
import type { Condition } from '../../stores/read-store.ts';
import { readKeysetPages } from '../lists/keyset-page.ts';
import type { QueryContext } from '../moments/moment.ts';
import { readLinkPages } from '../records/link-pages.ts';
import { documentsAt } from '../records/record-links.ts';

/** Something that a call wrote, and that an undo can take back. The newest comes first. */
export type Written =
  | { kind: 'RECORD'; id: string; type: string; positions: ReadonlySet<number> }
  | { kind: 'LINK'; ids: readonly [string, string] }
  /** A pair of controls that an imported crosswalk linked, with its relation before and after. */
  | { kind: 'PAIR'; ids: readonly [string, string]; before: DirectedRelation | null; isChangedSince: boolean };

/** Other calls get a turn between two reads. 500 changes with long texts took up to 30 ms. */
const CHANGES_PER_READ = 100;

/** Returns the records and links that a call wrote, newest first. */
export async function writtenByCall(context: QueryContext, callId: string): Promise<Written[]> {
  const { organizationId, snapshot } = context;
  const query = {
    collection: CHANGES.name,
    organizationId,
    where: [
      { key: 'call_id', op: 'eq', value: callId },
      { key: 'row_index', op: 'eq', value: 0 },
    ],
    order: { key: 'position', direction: 'DESC', isNeverEmpty: true },
    size: CHANGES_PER_READ,
    after: null,
  } as const;
  const positionsByStream = new Map<string, Set<number>>();
  for await (const rows of readKeysetPages(() => snapshot.models, query)) {
    for (const { doc } of rows) {
      const { stream, position } = doc as unknown as ChangeDocument;
      positionsByStream.set(stream, (positionsByStream.get(stream) ?? new Set()).add(position));
    }
  }
  const written: Written[] = [];
  for (const [stream, positions] of positionsByStream) written.push(...(await writtenTo(context, stream, positions)));
  return written;
}

/** Returns what a call wrote to one stream. An undo leaves other streams alone, such as those of members and proposals. */
async function writtenTo(context: QueryContext, stream: string, positions: ReadonlySet<number>): Promise<Written[]> {
  if (isLinkStream(stream)) return [{ kind: 'LINK', ids: idsOfPairStream(stream) }];
  if (isCrosswalkStream(stream)) return pairsLinkedAt(context, [...positions]);
  const family = modelOfStream(stream)?.family;
  if (family === undefined || familyOfType(family.type) === undefined) return [];
  return [{ kind: 'RECORD', id: recordIdOf(stream), type: family.type, positions }];
}

interface LinkDocument {
  record_id: string;
  other_id: string;
  relation?: RelationOfRecord;
}

async function pairsLinkedAt(context: QueryContext, positions: readonly number[]): Promise<Written[]> {
  const begun: Condition = { key: 'from_position', op: 'in', values: positions };
  const ended: Condition = { key: 'until_position', op: 'in', values: positions };
  const before = new Map(
    (await readPairs(context, [ended])).map(({ record_id, other_id, relation }) => [
      `${record_id} ${other_id}`,
      relation === undefined ? null : relationBetween(record_id, other_id, relation),
    ]),
  );
  const pairOf = ({ record_id, other_id }: LinkDocument, isChangedSince: boolean): Written => {
    const relation = before.get(`${record_id} ${other_id}`) ?? null;
    return { kind: 'PAIR', ids: [record_id, other_id], before: relation, isChangedSince };
  };
  const open = await readPairs(context, [begun, { key: 'until_position', op: 'eq', value: OPEN_END }]);
  const closed = await readPairs(context, [begun, { key: 'until_position', op: 'range', lt: OPEN_END }]);
  return [...open.map((row) => pairOf(row, false)), ...closed.map((row) => pairOf(row, true))];
}

/** Reads the rows of links, one for each pair. */
async function readPairs({ organizationId, snapshot }: QueryContext, where: Condition[]): Promise<LinkDocument[]> {
  const pairs: LinkDocument[] = [];
  for await (const rows of readLinkPages(snapshot.models, { organizationId, where })) {
    const documents = rows.map(({ doc }) => doc as unknown as LinkDocument);
    pairs.push(...documents.filter(({ record_id, other_id }) => record_id < other_id));
  }
  return pairs;
}

/**
 * Returns true if somebody has linked a record since the call that added it, or named it in another record. Archived records
 * don't count.
 * @param positions of the call's changes
 */
export async function isLinkedSince(
  context: QueryContext,
  id: string,
  positions: ReadonlySet<number>,
): Promise<boolean> {
  const { organizationId, snapshot } = context;
  const where: Condition[] = [
    { key: 'record_id', op: 'eq', value: id },
    { key: 'until_position', op: 'eq', value: OPEN_END },
  ];
  for await (const rows of readLinkPages(snapshot.models, { organizationId, where })) {
    const links = rows.map(({ doc }) => doc as unknown as LinkDocument & { from_position: number });
    const later = links.filter(({ from_position }) => !positions.has(from_position));
    const others = await documentsAt(context, [...new Set(later.map(({ other_id }) => other_id))]);
    if (others.some(({ archived_at }) => archived_at === null)) return true;
  }
  return false;
}

type ControlDocument = RecordDocument & { section_title: string };

/** A control in use, by its id and number. */
export interface UsedControl {
  id: string;
  number: string;
}

/** Returns a framework's controls that are linked with other records, and those that have events of their own. */
export async function usedControls(
  context: QueryContext,
  frameworkId: string,
): Promise<{ linked: UsedControl[]; changed: UsedControl[] }> {
  const { organizationId, snapshot } = context;
  const where: Condition[] = [
    { key: 'record_id', op: 'eq', value: frameworkId },
    { key: 'other_type', op: 'eq', value: 'CONTROL' },
  ];
  const used = { linked: [] as UsedControl[], changed: [] as UsedControl[] };
  for await (const rows of readLinkPages(snapshot.models, { organizationId, where })) {
    const ids = rows.map(({ doc }) => (doc as unknown as LinkDocument).other_id);
    for (const control of (await documentsAt(context, ids)) as unknown as ControlDocument[]) {
      const { id, section_title: number } = control;
      // A label without a colon is the type of live neighbours.
      const types = Object.keys(control.related_counts ?? {}).filter((label) => !label.includes(':'));
      if (types.some((type) => type !== 'FRAMEWORK')) used.linked.push({ id, number });
      if (control.revision > 1) used.changed.push({ id, number });
    }
  }
  return used;
}
