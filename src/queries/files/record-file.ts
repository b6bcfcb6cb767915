import { invalidField } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import type { FamilyQuery } from '../family-query.ts';
import { findPageStart, type KeysetQuery, readKeysetPages } from '../lists/keyset-page.ts';
import { listSource } from '../lists/list-source.ts';
import { resolveOwnerFilter } from '../lists/owner-filter.ts';
import { type PinnedMoment, type QueryContext, versionConditions } from '../moments/moment.ts';
import type { Reader, Snapshot } from '../moments/snapshot.ts';
import { withLinkedControls } from '../records/link-filters.ts';
import { presentRecords } from '../records/present-records.ts';
import { idsOfLinkedRecords } from '../records/record-links.ts';
import { withLinkedWords } from './linked-words.ts';
import { FILE_ROWS_PER_READ, type FileInput, type OpenedFile, pinFile } from './open-file.ts';

/**
 * Opens the file of all records that match a filter, in full, in the list's order, at one position.
 * @throws Refusal as the list tool does
 */
export async function openRecordFile(
  reader: Reader,
  family: FamilyQuery,
  caller: Caller,
  input: FileInput,
): Promise<OpenedFile> {
  const { organization_id: organizationId, after, withLinks } = input;
  const snapshot = reader.snapshot();
  requirePermission(caller, organizationId, 'readRecords');
  const filter = await resolveOwnerFilter(snapshot, caller, organizationId, input.filter ?? {});
  const file = await pinFile(snapshot, caller, family.plural, { ...input, filter });
  const { moment } = file;
  const source = {
    ...(await listSource({ snapshot, organizationId, moment }, family, caller, filter)),
    order: { key: family.defaultOrder.field, direction: family.defaultOrder.direction },
  };
  const query = {
    ...source,
    size: FILE_ROWS_PER_READ,
    after: after === undefined ? null : await placeOfRecord(snapshot, source, after, moment),
  };
  return { ...file, batches: lines(reader, { family, filter, withLinks }, query, moment) };
}

/** Returns the start of the page after a record, even if the filter excludes it. @throws Refusal if it did not exist */
async function placeOfRecord(
  snapshot: Snapshot,
  source: Pick<KeysetQuery, 'collection' | 'organizationId' | 'order'>,
  id: string,
  moment: PinnedMoment,
): Promise<KeysetQuery['after']> {
  const where = [{ key: 'record_id', op: 'eq', value: id } as const, ...versionConditions(moment.position)];
  const start = await findPageStart(snapshot.models, source, where);
  if (start !== null) return start;
  const message = 'after is not a record of this file. Give the id in the last line of the file that you have.';
  throw invalidField('after', message);
}

async function* lines(
  reader: Reader,
  {
    family,
    filter,
    withLinks,
  }: { family: FamilyQuery; filter: Record<string, unknown>; withLinks?: boolean | undefined },
  query: KeysetQuery,
  moment: PinnedMoment,
): AsyncGenerator<object[]> {
  for await (const rows of readKeysetPages(() => reader.snapshot().models, query)) {
    const context = { snapshot: reader.snapshot(), organizationId: query.organizationId, moment };
    const documents = rows.map(({ doc }) => doc);
    const records = await presentRecords(context, family, documents, 'FULL');
    const linked = await withLinkedIds(context, family, await withLinkedControls(context, filter, records));
    yield withLinks ? await withLinkedWords(context, family, linked) : linked;
  }
}

/** Adds the ids of linked records to records of a family that is attached to others: evidence. */
async function withLinkedIds(
  context: QueryContext,
  { fields }: FamilyQuery,
  records: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  if (!('record_ids' in fields)) return [...records];
  const linkedIds = await idsOfLinkedRecords(
    context,
    records.map(({ id }) => String(id)),
  );
  return records.map((record, index) => ({ ...record, ...linkedIds[index] }));
}
