import type { FamilyDescription, Workflow } from '../register/family-description.ts';
import { invalidField, Refusal } from './engine/refusal.ts';

type WorkflowRecord = Partial<Record<Workflow['field'], string>>;

/**
 * Refuses a new record whose state isn't a first one, or lacks its fields.
 * @param isPastState the record was in its state before. A register of the past may not have all fields
 * @throws Refusal invalid_transition, invalid_input
 */
export function checkFirstState({ singular, workflow }: FamilyDescription, record: object, isPastState: boolean): void {
  if (workflow === undefined) return;
  const { field, first } = workflow;
  const state = (record as WorkflowRecord)[field]!;
  if (first && !first.states.includes(state))
    refuseTransition(field, `A new ${singular}`, state, first.states, first.hint);
  if (!isPastState) requireStateFields(workflow, record);
}

/** Refuses a transition that isn't allowed, or lacks its fields. @throws Refusal invalid_transition, invalid_input */
export function checkTransition({ workflow }: FamilyDescription, record: object, changed: object): void {
  if (workflow === undefined) return;
  const { field, transitions, hint } = workflow;
  const from = (record as WorkflowRecord)[field]!;
  const to = (changed as WorkflowRecord)[field];
  if (to !== undefined) {
    const allowed = statesAfter(transitions, from);
    if (!allowed.includes(to)) refuseTransition(field, from, to, allowed, hint);
  }
  // Fields that a past state lacks don't prevent other changes.
  requireStateFields(workflow, { ...record, ...changed }, to === undefined ? Object.keys(changed) : undefined);
}

/**
 * Refuses a change without a reason, if the description asks for one.
 * @param consequence says what follows from the change, as a sentence
 * @throws Refusal invalid_input
 */
export function requireReasonForChange(
  { fields }: FamilyDescription,
  record: object,
  changed: object,
  reason: string | undefined,
  consequence = '',
): void {
  const name = Object.keys(changed).find((field) => fields[field]?.changesNeedReason);
  if (reason || name === undefined) return;
  const text = (values: object) => String((values as Record<string, unknown>)[name] ?? 'empty');
  const message = `Give a reason: why ${name} goes from ${text(record)} to ${text(changed)}.${consequence}`;
  throw invalidField('reason', message);
}

/** Returns the states that an update may set next. Without a workflow, these are all others. */
export function nextStates({ fields, workflow }: FamilyDescription, name: string, from: string): readonly string[] {
  const field = fields[name]!;
  const all = field.kind === 'enum' ? field.values : [];
  return statesAfter(workflow?.transitions ?? all, from);
}

function statesAfter(transitions: Workflow['transitions'], from: string): readonly string[] {
  return isList(transitions) ? transitions.filter((state) => state !== from) : transitions[from]!;
}

function isList(transitions: Workflow['transitions']): transitions is readonly string[] {
  return Array.isArray(transitions);
}

/** Returns true if a state comes before another one in the order of the work. */
export function isBackwards(states: readonly string[], from: string, to: string): boolean {
  return states.indexOf(to) < states.indexOf(from);
}

function refuseTransition(field: string, from: string, to: string, allowed: readonly string[], hint?: string): never {
  const nextStep = allowed.length > 0 ? `Choose one of ${allowed.join(', ')}` : `${from} is final`;
  throw new Refusal('invalid_transition', `${from} cannot become ${to} here. ${nextStep}.`, {
    field,
    allowed,
    ...(hint ? { hint } : {}),
  });
}

const LIST = new Intl.ListFormat('en-GB');

/**
 * Refuses a state whose required fields are empty.
 * @param changed the fields that count; by default all
 * @throws Refusal invalid_input that names all of them
 */
function requireStateFields({ field, needs = {} }: Workflow, record: object, changed?: readonly string[]): void {
  const state = (record as WorkflowRecord)[field]!;
  const required = needs[state] ?? [];
  const isEmpty = (name: string) => [null, undefined, ''].includes((record as Record<string, string | null>)[name]);
  const absent = required.filter((name) => isEmpty(name) && (changed?.includes(name) ?? true));
  if (absent.length === 0) return;
  throw invalidField(absent[0]!, `${state} needs ${LIST.format(required)}. Give ${LIST.format(absent)} too.`);
}
