import { requireReason } from './record.ts';
import { Refusal } from './refusal.ts';

/** A state machine as data. */
export interface Moves<State extends string> {
  /** The field that holds the state. */
  field: 'state' | 'status';
  /** What each state may become by an update. */
  to: Readonly<Record<State, readonly State[]>>;
  /** Which of these moves must say why. */
  explained?(from: State, to: State): boolean;
  /** What to do instead, told where a move is refused. */
  hint?: string;
}

/** Judges one move. @throws Refusal invalid_transition with the states that are possible, invalid_input without a reason */
export function judgeMove<State extends string>(
  moves: Moves<State>,
  from: State,
  to: State,
  reason: string | undefined,
): void {
  const allowed = moves.to[from];
  if (!allowed.includes(to)) refuseMove(moves.field, from, to, allowed, moves.hint);
  if (moves.explained?.(from, to)) requireReason(reason, `why it goes from ${from} to ${to}`);
}

/** All other states than the one it has. */
export function anyOther<State extends string>(states: readonly State[]): Record<State, readonly State[]> {
  return Object.fromEntries(states.map((from) => [from, states.filter((to) => to !== from)])) as unknown as Record<
    State,
    readonly State[]
  >;
}

export function refuseMove(field: string, from: string, to: string, allowed: readonly string[], hint?: string): never {
  const next = allowed.length > 0 ? `choose one of ${allowed.join(', ')}` : 'no move is possible from there';
  throw new Refusal('invalid_transition', `${from} cannot become ${to} here: ${next}.`, {
    field,
    allowed,
    ...(hint ? { hint } : {}),
  });
}

/** What a state needs to be there. @throws Refusal invalid_input that names the first field that is missing */
export function requireFields<Record extends object>(
  record: Record,
  state: string,
  fields: readonly (keyof Record & string)[],
): void {
  for (const field of fields) {
    if (record[field] !== null && record[field] !== undefined && record[field] !== '') continue;
    throw new Refusal('invalid_input', `${state} needs ${fields.join(' and ')}: give ${field} too.`, { field });
  }
}
