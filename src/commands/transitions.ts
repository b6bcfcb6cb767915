import { Refusal } from './engine/refusal.ts';
import { requireReason } from './record.ts';

/** The transitions that an update may make. */
export interface Transitions<State extends string> {
  /** The field that holds the state. */
  field: 'state' | 'status';
  /** The states that may follow each state. */
  allowed: Readonly<Record<State, readonly State[]>>;
  /** Returns true if a transition must give a reason. */
  needsReason?(from: State, to: State): boolean;
  /** The next step, shown when a transition is refused. */
  hint?: string;
}

/** Refuses a transition that isn't allowed, or lacks its reason. @throws Refusal invalid_transition, invalid_input */
export function checkTransition<State extends string>(
  transitions: Transitions<State>,
  from: State,
  to: State,
  reason: string | undefined,
): void {
  const allowed = transitions.allowed[from];
  if (!allowed.includes(to)) refuseTransition(transitions.field, from, to, allowed, transitions.hint);
  if (transitions.needsReason?.(from, to)) requireReason(reason, `why it goes from ${from} to ${to}`);
}

/** Allows each state to become any other. */
export function anyOtherState<State extends string>(states: readonly State[]): Record<State, readonly State[]> {
  return Object.fromEntries(states.map((from) => [from, states.filter((to) => to !== from)])) as unknown as Record<
    State,
    readonly State[]
  >;
}

export function refuseTransition(
  field: string,
  from: string,
  to: string,
  allowed: readonly string[],
  hint?: string,
): never {
  const next = allowed.length > 0 ? `Choose one of ${allowed.join(', ')}` : `${from} is final`;
  throw new Refusal('invalid_transition', `${from} cannot become ${to} here. ${next}.`, {
    field,
    allowed,
    ...(hint ? { hint } : {}),
  });
}

/** Refuses a state whose required fields are empty. @throws Refusal invalid_input that names the first one */
export function requireFields<Record extends object>(
  record: Record,
  state: string,
  fields: readonly (keyof Record & string)[],
): void {
  for (const field of fields) {
    if (record[field] !== null && record[field] !== undefined && record[field] !== '') continue;
    throw new Refusal('invalid_input', `${state} needs ${fields.join(' and ')}. Give ${field} too.`, { field });
  }
}
