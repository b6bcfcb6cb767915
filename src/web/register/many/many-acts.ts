import { nextStates } from '../../../commands/workflow.ts';
import { linkablePrefixes } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Field, Fields } from '../../../register/field.ts';
import type { Choice } from '../../components/fields.tsx';
import { enumText } from '../field-content.tsx';
import { justificationOf } from '../forms/acts.ts';
import { linkFields } from '../forms/link-fields.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** A change of many records of a family. It has a button in the bar of their list, and a form. */
export interface ManyAct {
  /** The value of the parameter `act`. */
  name: string;
  /** The text of the button in the bar. */
  label: string;
  /** The button that writes, such as "Change owner". */
  button: string;
  tool: string;
  /** The records that one call takes. */
  maxRecords: number;
  fields: Fields;
  /** The values of a field that is chosen from a list of this act. */
  choices?: Readonly<Record<string, readonly Choice[]>>;
  /** The field that takes any record, by its number or name. */
  recordField?: string;
  needsReason: boolean;
  /** The fields whose text is the reason, unless another one is given. */
  reasonFields?: readonly string[];
  /** Returns the tool's inputs for these records. @param typed what the form's fields hold */
  inputs(ids: readonly string[], typed: Inputs): Inputs;
}

const MAX_SET_RECORDS = 200;
const MAX_LISTED_RECORDS = 100;

/** Returns the acts on many records of a family, as far as its tools have them. */
export function manyActs(family: FamilyDescription): ManyAct[] {
  return [...ownerAct(family), ...dueAct(family), ...stateAct(family), archiveAct(), ...linkAct(family)];
}

const set = (ids: readonly string[], typed: Inputs): Inputs => ({ set: typed, ids });

/** An act of importRecords, which sets what the form's fields hold. */
const setAct = (act: Pick<ManyAct, 'name' | 'label' | 'button' | 'fields'> & Partial<ManyAct>): ManyAct => ({
  tool: 'importRecords',
  maxRecords: MAX_SET_RECORDS,
  needsReason: false,
  inputs: set,
  ...act,
});

export const NEW_OWNER: Field = { kind: 'account', label: 'New owner', required: true };

function ownerAct({ fields }: FamilyDescription): ManyAct[] {
  if (!('owner_id' in fields)) return [];
  return [setAct({ name: 'owner', label: 'Owner', button: 'Change owner', fields: { owner_id: NEW_OWNER } })];
}

/** Changes the dates that Needs you asks for, as far as people set them. */
function dueAct({ fields, dueItems = [], tools }: FamilyDescription): ManyAct[] {
  const names = new Set(dueItems.map(({ date }) => date).filter((name) => fields[name]?.kind === 'date'));
  if (tools.update === undefined || names.size === 0) return [];
  const note = names.size === 1 ? {} : { note: 'stays, if you leave it empty' };
  const dates = [...names].map((name) => [name, { ...fields[name]!, ...note }] as const);
  return [setAct({ name: 'due', label: 'Due', button: 'Change dates', fields: Object.fromEntries(dates) })];
}

/** Moves records to another state. The workflow says which of them can go there. */
function stateAct(family: FamilyDescription): ManyAct[] {
  const { workflow, fields, tools } = family;
  const state = workflow === undefined ? undefined : fields[workflow.field];
  if (workflow === undefined || state?.kind !== 'enum' || tools.update === undefined) return [];
  const { field: name, needs = {} } = workflow;
  const reachable = state.values.filter((value) =>
    state.values.some((from) => nextStates(family, name, from).includes(value)),
  );
  const statesThatNeed = (needed: string) =>
    reachable.filter((value) => needs[value]?.includes(needed)).map((value) => enumText(state, value));
  const needed = [...new Set(reachable.flatMap((value) => needs[value] ?? []))].map(
    (other) => [other, { ...fields[other]!, note: `needed for ${statesThatNeed(other).join(' and ')}` }] as const,
  );
  const reasonFields = reachable.flatMap((value) => justificationOf(family, value) ?? []);
  return [
    setAct({
      name: 'state',
      label: state.label,
      button: `Change ${state.label.toLowerCase()}`,
      fields: { [name]: { ...state, required: true }, ...Object.fromEntries(needed) },
      choices: { [name]: reachable.map((value) => ({ value, label: enumText(state, value) })) },
      needsReason: state.changesNeedReason ?? false,
      reasonFields,
    }),
  ];
}

const archiveAct = (): ManyAct => ({
  name: 'archive',
  label: 'Archive',
  button: 'Archive',
  tool: 'archiveRecords',
  maxRecords: MAX_LISTED_RECORDS,
  fields: {},
  needsReason: true,
  inputs: (ids) => ({ ids, action: 'ARCHIVE' }),
});

function linkAct({ type, prefix }: FamilyDescription): ManyAct[] {
  if (linkablePrefixes(prefix).length === 0) return [];
  return [
    {
      name: 'link',
      label: 'Link',
      button: 'Link',
      tool: 'linkRecords',
      maxRecords: MAX_LISTED_RECORDS,
      fields: linkFields(type),
      recordField: 'to_id',
      needsReason: false,
      inputs: (ids, { to_id, relation }) => ({
        action: 'LINK',
        links: ids.map((from_id) => ({ from_id, to_id, relation })),
      }),
    },
  ];
}
