import { idPrefix } from '../../commands/engine/ids.ts';
import { FAMILIES, recordAggregate } from '../../commands/families.ts';
import type { CommonFields } from '../../commands/record.ts';
import type { MemberWords } from '../../queries/records/member-words.ts';
import type { RowReading } from '../../sheets/columns/column-reader.ts';
import type { WriteService } from '../../tools/tool.ts';
import type { RowReader } from '../import-rows.ts';

/** The column of owners' names in a file that the product wrote. Downloads have their ids too, as `owner_id`. */
export const OWNER_NAME = 'owner';

interface OwnerContext {
  service: Pick<WriteService, 'handler' | 'names'>;
  reader: Pick<RowReader, 'type'>;
  members: MemberWords;
}

/**
 * Returns a row with one owner. Of the name and the id, the one that differs from the record counts. If both differ, and
 * mean different members, the row has an error.
 */
export async function withOneOwner(reading: RowReading, context: OwnerContext): Promise<RowReading> {
  const { [OWNER_NAME]: name, ...values } = reading.values;
  if (name === undefined) return reading;
  const { id, owner_id } = values;
  const current = id === undefined ? null : await ownerOf(String(id), context);
  const meaning = context.members.find(String(name));
  const named = 'account_id' in meaning ? meaning.account_id : null;
  const isNameKept = current !== null && (named === current.id || name === current.name);
  if (isNameKept || (owner_id !== undefined && named === owner_id)) return { ...reading, values };
  if (owner_id === undefined || owner_id === current?.id) return { ...reading, values: { ...values, owner_id: name } };
  const message = `and owner_id differ. Correct one of them, or empty it`;
  return { ...reading, values, errors: [...reading.errors, { field: OWNER_NAME, message }] };
}

async function ownerOf(
  id: string,
  { service, reader }: OwnerContext,
): Promise<{ id: string; name: string | null } | null> {
  if (idPrefix(id) !== FAMILIES[reader.type].prefix) return null;
  const { state } = await service.handler.load(recordAggregate(id));
  const owner = (state as CommonFields | null)?.owner_id ?? null;
  if (owner === null) return null;
  const [identity] = await service.names.readIdentities([owner], () => false);
  return { id: owner, name: identity?.name ?? null };
}
