import type { Caller } from '../commands/caller.ts';
import { type Permission, requirePermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import { historyOf } from '../projections/read-model.ts';
import type { FamilyQuery } from './family.ts';
import { beginFile, type FileInput, type OpenedFile, ROWS_AT_ONCE } from './file.ts';
import { linkedTo } from './links.ts';
import { listConditions } from './list.ts';
import { holdingAt, type PinnedMoment, refusePast } from './moment.ts';
import { type PageQuery, placeOf, readPages } from './page.ts';
import { present } from './present.ts';
import type { Reader } from './reader.ts';

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
  refusePast(reader, caller, organizationId, as_of);
  const begun = await beginFile(reader, caller, family.plural, input);
  const { moment } = begun;
  // A cursor that was kept leads nobody into the past either.
  if (input.cursor !== undefined) refusePast(reader, caller, organizationId, moment.today);
  const context = { today: moment.today, account_id: caller.account_id, filter };
  const linked = await linkedTo(reader, organizationId, family, moment, filter);
  const source = {
    collection: historyOf(family.plural),
    organizationId,
    order: { key: family.defaultOrder.field, direction: family.defaultOrder.direction },
  };
  const query = {
    ...source,
    where: [...linked, ...listConditions(family, moment, context)],
    size: ROWS_AT_ONCE,
    after: after === undefined ? null : await placeOfRecord(reader, source, after, moment),
  };
  return { ...begun, batches: lines(reader, family, query, moment) };
}

/** Where a record stands in the order, whether or not the filter leaves it. @throws Refusal where it was not there */
async function placeOfRecord(
  reader: Reader,
  source: Pick<PageQuery, 'collection' | 'organizationId' | 'order'>,
  id: string,
  moment: PinnedMoment,
): Promise<PageQuery['after']> {
  const where = [{ key: 'record_id', op: 'eq', value: id } as const, ...holdingAt(moment.position)];
  const place = await placeOf(reader.models, source, where);
  if (place !== null) return place;
  throw new Refusal('invalid_input', 'Give after as the id in the last line of this file that you have.', {
    field: 'after',
  });
}

async function* lines(
  reader: Reader,
  family: FamilyQuery,
  query: PageQuery,
  moment: PinnedMoment,
): AsyncGenerator<object[]> {
  for await (const rows of readPages(reader.models, query)) {
    const documents = rows.map(({ doc }) => doc);
    yield await present(reader, family, documents, moment, 'FULL');
  }
}
