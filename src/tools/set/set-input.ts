import { z } from 'zod';
import { invalidField, Refusal } from '../../commands/engine/refusal.ts';
import { FAMILIES } from '../../commands/families.ts';
import { ROW_READERS } from '../../import/import-rows.ts';
import type { RowCallInput } from '../../import/row-commands.ts';
import { type FamilyQuery, familyQueryFor, familyQueryOfType } from '../../queries/family-query.ts';
import { hasCondition } from '../../queries/lists/list-source.ts';
import { FAMILY_DESCRIPTIONS, type FamilyName } from '../../register/families.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import { fieldSources } from '../../register/field-sources.ts';
import { problemsByField, type RecordNames } from '../record-names.ts';
import { asUpdateFields, listInput, updatedFields } from '../schema/family-schema.ts';
import * as field from '../schema/fields.ts';
import { InputParser } from '../schema/input-parser.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Records that one call may change. */
export const MAX_SELECTED_RECORDS = 200;

/** The inputs that only a call with `set` has. */
export interface SetInput extends RowCallInput {
  type?: string | undefined;
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

const changedRecords = (type: FamilyName, update: z.ZodObject) =>
  z.strictObject({
    set: update.omit({ id: true }),
    ids: field.idList(MAX_SELECTED_RECORDS, [FAMILIES[type].prefix]).optional(),
    filter: listInput(FAMILIES[type]).shape.filter,
  });

/** Returns where the values of fields come from, by their path in an input. */
const sourcesInSet = (type: FamilyName): ReadonlyMap<string, string> =>
  new Map([...fieldSources(FAMILIES[type])].map(([name, source]) => [`set.${name}`, source]));

/** Returns the fields that an update of a type sets. Frameworks and evidence have no tool for it: only their owner changes. */
function updateSchema(type: FamilyName): z.ZodObject {
  const { prefix } = FAMILIES[type];
  const settable = () =>
    z.strictObject({ id: field.recordId(prefix), ...asUpdateFields(updatedFields(FAMILIES[type])) });
  return ROW_READERS.get(type)?.updateParser?.schema ?? settable();
}

/** A parser for each type. It reads `set` as the update tool does, `filter` as the list does. */
const PARSERS: ReadonlyMap<FamilyName, InputParser<ReturnType<typeof changedRecords>>> = new Map(
  FAMILY_DESCRIPTIONS.map(({ type }) => [
    type,
    new InputParser(() => changedRecords(type, updateSchema(type)), sourcesInSet(type)),
  ]),
);

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
    throw invalidField('filter', 'Give either ids or filter, not both.');
  }
  const changes = typesOf(type, ids).map((familyType) => {
    const selectedBy = { set, ids, filter: withStates(familyType, filter) };
    const parsed = parse(familyType, selectedBy, type === undefined && ids === undefined);
    const selected = parsed.ids === undefined ? { ...parsed.filter } : { ids: parsed.ids, include_archived: true };
    return { type: familyType, family: familyQueryOfType(familyType), set: parsed.set, filter: selected };
  });
  if (!changes.every((change) => hasCondition(change.family, change.filter))) {
    const message = 'set needs ids, or a filter that leaves records out. Add a condition, such as owner_id.';
    throw invalidField('filter', message);
  }
  return changes;
}

/** Returns the type that a call names, itself or by its ids; else all types whose records can change. */
function typesOf(type: string | undefined, ids: SetInput['ids']): FamilyName[] {
  const types = [...PARSERS.keys()];
  if (type === undefined) requireOneType(ids);
  const named = ids === undefined ? type : (type ?? familyQueryFor(ids[0]!).type);
  if (named === undefined) return types;
  return types.filter((name) => name === named);
}

/**
 * Returns a filter of a type's list in place of one that may have `unfinished`: records in whose states their owner has
 * something left to do.
 */
export function withStates(type: FamilyName, filter: Fields | undefined): Fields | undefined {
  if (typeof filter?.unfinished !== 'boolean') return filter;
  const { unfinished, ...others } = filter;
  const { workflow, fields }: FamilyDescription = FAMILIES[type];
  const state = workflow === undefined ? undefined : fields[workflow.field];
  if (!unfinished || workflow?.finished === undefined || state?.kind !== 'enum') return others;
  const { field: name, finished } = workflow;
  return { [name]: state.values.filter((value) => !finished.some((one) => one === value)), ...others };
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
