import type { Caller } from '../commands/caller.ts';
import { type Permission, requirePermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import { historyOf } from '../projections/read-model.ts';
import type { FamilyQuery } from './family-query.ts';
import { findPageStart, type KeysetQuery, readKeysetPages } from './keyset-page.ts';
import { listConditions } from './list-records.ts';
import { type PinnedMoment, requireAsOfPermission, validAt } from './moment.ts';
import { FILE_ROWS_PER_READ, type FileInput, type OpenedFile, openFileAt } from './open-file.ts';
import { presentRecords } from './present-records.ts';
import type { Reader } from './reader.ts';
import { linkedToCondition } from './record-links.ts';

/**
 * All records of a family that a filter leaves, whole, in the order of their list, at one position.
 * @param deed what the family's list needs
 * @throws Refusal as the list does
 */
export async function openRecordFile(
  reader: Reader,
  family: FamilyQuery,
  deed: Permission,
  caller: Caller,
  input: FileInput,
): Promise<OpenedFile> {
  const { organization_id: organizationId, filter = {}, as_of, after } = input;
  requirePermission(caller, organizationId, deed);
  requireAsOfPermission(reader, caller, organizationId, as_of);
  const begun = await openFileAt(reader, caller, family.plural, input);
  const { moment } = begun;
  // A cursor that was kept leads nobody into the past either.
  if (input.cursor !== undefined) requireAsOfPermission(reader, caller, organizationId, moment.today);
  const context = { today: moment.today, account_id: caller.account_id, filter };
  const linked = await linkedToCondition(reader, organizationId, family, moment, filter);
  const source = {
    collection: historyOf(family.plural),
    organizationId,
    order: { key: family.defaultOrder.field, direction: family.defaultOrder.direction },
  };
  const query = {
    ...source,
    where: [...linked, ...listConditions(family, moment, context)],
    size: FILE_ROWS_PER_READ,
    after: after === undefined ? null : await placeOfRecord(reader, source, after, moment),
  };
  return { ...begun, batches: lines(reader, family, query, moment) };
}

/** Where a record stands in the order, whether or not the filter leaves it. @throws Refusal where it was not there */
async function placeOfRecord(
  reader: Reader,
  source: Pick<KeysetQuery, 'collection' | 'organizationId' | 'order'>,
  id: string,
  moment: PinnedMoment,
): Promise<KeysetQuery['after']> {
  const where = [{ key: 'record_id', op: 'eq', value: id } as const, ...validAt(moment.position)];
  const place = await findPageStart(reader.models, source, where);
  if (place !== null) return place;
  throw new Refusal('invalid_input', 'Give after as the id in the last line of this file that you have.', {
    field: 'after',
  });
}

async function* lines(
  reader: Reader,
  family: FamilyQuery,
  query: KeysetQuery,
  moment: PinnedMoment,
): AsyncGenerator<object[]> {
  for await (const rows of readKeysetPages(reader.models, query)) {
    const documents = rows.map(({ doc }) => doc);
    yield await presentRecords(reader, family, documents, moment, 'FULL');
  }
}
