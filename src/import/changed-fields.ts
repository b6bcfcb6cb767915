import { isDeepStrictEqual } from 'node:util';
import { FAMILIES, recordAggregate } from '../commands/families.ts';
import { pick } from '../commands/record.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import type { RowReader } from './import-rows.ts';
import type { ImportCall } from './row-commands.ts';

/** Returns a row's values without those that an update can't set, and the names of these. */
export function settableValues<Values extends Readonly<Record<string, unknown>>>(
  { updateParser }: RowReader,
  values: Values,
): { values: Partial<Values>; leftOut: string[] } {
  const settable = updateParser?.schema.shape ?? {};
  const names = Object.keys(values);
  return {
    values: pick(
      values,
      names.filter((name) => name in settable),
    ) as Partial<Values>,
    leftOut: names.filter((name) => !(name in settable)),
  };
}

/**
 * Returns the fields of a row that differ from its record. A sheet repeats all values of a record, and a status that is given
 * again would be a new assessment. If one of the fields with events of their own differs, all of them are returned.
 */
export async function changedFields(
  { context, reader }: Pick<ImportCall, 'context' | 'reader'>,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { state } = await context.service.handler.load(recordAggregate(id), true);
  const family: FamilyDescription = FAMILIES[reader.type];
  const differs = (name: string) => !isDeepStrictEqual(state?.[name] ?? null, fields[name]);
  const isAssessed = (name: string) => family.fields[name]?.hasOwnEvent && family.fields[name].kind !== 'account';
  const names = Object.keys(fields);
  const isReassessed = names.some((name) => isAssessed(name) && differs(name));
  return pick(
    fields,
    names.filter((name) => differs(name) || (isReassessed && isAssessed(name))),
  );
}
