import type { FamilyDescription, Workflow } from '../register/family-description.ts';
import { Refusal } from './engine/refusal.ts';
import { requireReason } from './record.ts';

type WorkflowRecord = Partial<Record<Workflow['field'], string>>;

/** Refuses a new record whose state isn't a first one, or lacks its fields. @throws Refusal invalid_transition, invalid_input */
export function checkFirstState({ singular, workflow }: FamilyDescription, record: object): void {
  if (workflow === undefined) return;
  const { field, first } = workflow;
  const state = (record as WorkflowRecord)[field]!;
  if (first && !first.states.includes(state))
    refuseTransition(field, `A new ${singular}`, state, first.states, first.hint);
  requireStateFields(workflow, record);
}

/** Refuses a transition that isn't allowed, or lacks its reason or fields. @throws Refusal invalid_transition, invalid_input */
export function checkTransition(
  { fields, workflow }: FamilyDescription,
  record: object,
  changed: object,
  reason: string | undefined,
): void {
  if (workflow === undefined) return;
  const { field, transitions, needsReason, hint } = workflow;
  const from = (record as WorkflowRecord)[field]!;
  const to = (changed as WorkflowRecord)[field];
  if (to !== undefined) {
    const allowed = statesAfter(transitions, from);
    if (!allowed.includes(to)) refuseTransition(field, from, to, allowed, hint);
    const stateField = fields[field]!;
    const isBack = stateField.kind === 'enum' && isBackwards(stateField.values, from, to);
    if (needsReason === 'ALWAYS' || (needsReason === 'BACKWARDS' && isBack)) {
      requireReason(reason, `why it goes from ${from} to ${to}`);
    }
  }
  requireStateFields(workflow, { ...record, ...changed });
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

/** Refuses a state whose required fields are empty. @throws Refusal invalid_input that names all of them */
function requireStateFields({ field, needs = {} }: Workflow, record: object): void {
  const state = (record as WorkflowRecord)[field]!;
  const required = needs[state] ?? [];
  const isEmpty = (name: string) => [null, undefined, ''].includes((record as Record<string, string | null>)[name]);
  const absent = required.filter(isEmpty);
  if (absent.length === 0) return;
  const message = `${state} needs ${required.join(' and ')}. Give ${absent.join(' and ')} too.`;
  throw new Refusal('invalid_input', message, { field: absent[0]! });
}
