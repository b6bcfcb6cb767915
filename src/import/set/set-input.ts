import { z } from 'zod';
import { Refusal } from '../../commands/engine/refusal.ts';
import { FAMILIES } from '../../commands/families.ts';
import { type FamilyQuery, familyQueryFor, familyQueryOfType } from '../../queries/family-query.ts';
import { hasCondition } from '../../queries/lists/list-source.ts';
import type { FamilyName } from '../../register/families.ts';
import { fieldSources } from '../../register/field-sources.ts';
import { problemsByField, type RecordNames } from '../../tools/record-names.ts';
import { listInput } from '../../tools/schema/family-schema.ts';
import * as field from '../../tools/schema/fields.ts';
import { InputParser } from '../../tools/schema/input-parser.ts';
import { ROW_READERS } from '../import-rows.ts';
import type { RowCallInput } from '../row-commands.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Records that one call may change. */
export const MAX_SELECTED_RECORDS = 200;

/** The inputs that only a call with `set` has. */
export interface SetInput extends RowCallInput {
  type?: string | undefined;
  /** The fields to set. */
  set: Fields;
  ids?: readonly string[] | undefined;
  filter?: Fields | undefined;
  dry_run: boolean;
}

/** The fields to set on the records of one family that a filter matches. */
export interface FamilyChange {
  type: FamilyName;
  family: FamilyQuery;
  set: Record<string, unknown>;
  filter: Record<string, unknown>;
}

const changedRecords = (type: FamilyName, updateSchema: z.ZodObject) =>
  z.strictObject({
    set: updateSchema.omit({ id: true }),
    ids: field.idList(MAX_SELECTED_RECORDS, [FAMILIES[type].prefix]).optional(),
    filter: listInput(FAMILIES[type]).shape.filter,
  });

/** Returns where the values of fields come from, by their path in an input. */
const sourcesInSet = (type: FamilyName): ReadonlyMap<string, string> =>
  new Map([...fieldSources(FAMILIES[type])].map(([name, source]) => [`set.${name}`, source]));

/** A parser for each type whose records can change. It reads `set` as the update tool does, `filter` as the list does. */
const PARSERS: ReadonlyMap<FamilyName, InputParser<ReturnType<typeof changedRecords>>> = new Map(
  [...ROW_READERS.values()].flatMap(({ type, updateParser }) =>
    updateParser === null
      ? []
      : [[type, new InputParser(() => changedRecords(type, updateParser.schema), sourcesInSet(type))]],
  ),
);

/** The id prefixes of records that can change. */
export const CHANGEABLE_PREFIXES = [...PARSERS.keys()].map((type) => FAMILIES[type].prefix);

/**
 * Returns a call's input with ids in place of the words that name records in `set` and `filter`.
 * @throws Refusal invalid_input
 */
export async function withIdsInSet(names: RecordNames, input: SetInput): Promise<SetInput> {
  let result = input;
  for (const type of typesOf(input.type, input.ids)) {
    const parser = PARSERS.get(type)!;
    const { set, ids, filter } = result;
    const plain = parser.plain({ set, ids, filter });
    const { input: named, problems } = await names.replace(plain, parser.recordWords(plain));
    if (problems.length > 0) parser.parse(named, problemsByField(problems));
    result = { ...result, ...(named as Pick<SetInput, 'set' | 'ids' | 'filter'>) };
  }
  return result;
}

/** Returns what a call changes, by family. @throws Refusal invalid_input */
export function readSetInput({ type, set, ids, filter }: SetInput): FamilyChange[] {
  if (ids !== undefined && filter !== undefined) {
    throw new Refusal('invalid_input', 'Give either ids or filter, not both.', { field: 'filter' });
  }
  const changes = typesOf(type, ids).map((familyType) => {
    const parsed = parse(familyType, { set, ids, filter }, type === undefined && ids === undefined);
    const selected = parsed.ids === undefined ? { ...parsed.filter } : { ids: parsed.ids, include_archived: true };
    return { type: familyType, family: familyQueryOfType(familyType), set: parsed.set, filter: selected };
  });
  if (!changes.every((change) => hasCondition(change.family, change.filter))) {
    const message = 'set needs ids, or a filter that leaves records out. Add a condition, such as owner_id.';
    throw new Refusal('invalid_input', message, { field: 'filter' });
  }
  return changes;
}

/** Returns the type that a call names, itself or by its ids; else all types whose records can change. */
function typesOf(type: string | undefined, ids: SetInput['ids']): FamilyName[] {
  const types = [...PARSERS.keys()];
  if (type === undefined) requireOneType(ids);
  const named = ids === undefined ? type : (type ?? familyQueryFor(ids[0]!).type);
  if (named === undefined) return types;
  const found = types.filter((name) => name === named);
  if (found.length > 0) return found;
  const message = `Records of type ${named} never change. Archive them and add new ones.`;
  throw new Refusal('invalid_input', message, { field: 'type', allowed: types });
}

function requireOneType(ids: SetInput['ids'] = []): void {
  const types = ids.map((id) => familyQueryFor(id).type);
  const other = types.findIndex((type) => type !== types[0]);
  if (other === -1) return;
  const message = `ids must be of one type, and these are of ${[...new Set(types)].join(' and ')}. Make a call for each.`;
  throw new Refusal('invalid_input', message, { field: `ids.${other}` });
}

function parse(type: FamilyName, input: Pick<SetInput, 'set' | 'ids' | 'filter'>, isForAllTypes: boolean) {
  try {
    return PARSERS.get(type)!.parse(input);
  } catch (error) {
    if (!isForAllTypes || !(error instanceof Refusal)) throw error;
    const hint = `Without type, set and filter must fit every type. This is wrong for ${type}: give the type you mean.`;
    throw new Refusal(error.code, error.message, { ...error.more, hint });
  }
}
