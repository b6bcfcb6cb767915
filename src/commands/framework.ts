import { canonical } from '../trail/canonical.ts';
import type { DecisionContext } from './decider.ts';
import { type CommandOf, type EventOf, recordFamily } from './family.ts';
import { controlId } from './ids.ts';
import { because, given, type Reasoned, type RecordFacts, refuseIfArchived } from './record.ts';
import { Refusal } from './refusal.ts';

/** The most that an adoption's data may be in canonical form: one event has to fit into one append of every store. */
export const MAX_ADOPTION_BYTES = 768 * 1024;

/** A control as a framework brings it; its number is unique there. */
export interface GivenControl {
  section_title: string;
  name: string;
  description?: string | null | undefined;
}

/** A control as the adoption holds it; its place in the list is in its id. */
export interface AdoptedControl extends GivenControl {
  id: string;
}

const DETAILS = {
  library_id: null as string | null,
  name: '',
  version: null as string | null,
  description: null as string | null,
};

const DECIDED = { controls: [] as readonly AdoptedControl[] };

export type FrameworkState = typeof DETAILS & typeof DECIDED & RecordFacts;
type Adopted = { type: 'FrameworkAdopted'; data: Partial<FrameworkState> & Reasoned };
export type FrameworkEvent = EventOf<'Framework', FrameworkState, typeof DETAILS, Adopted>;
export type FrameworkCommand = CommandOf<'Framework', FrameworkState>;

/** A framework to adopt; what is absent or null is not known. */
export interface GivenFramework {
  library_id?: string | null | undefined;
  name: string;
  version?: string | null | undefined;
  description?: string | null | undefined;
  owner_id?: string | null | undefined;
  controls: readonly GivenControl[];
}

/** The command that adopts a framework under an id, each of its controls by its place in the list. */
export function adoption(id: string, { controls, ...fields }: GivenFramework, reason?: string) {
  const placed = controls.map((control, place) => ({ id: controlId(id, place), ...given(control) }) as AdoptedControl);
  const known = given(fields) as Partial<FrameworkState>;
  return { type: 'AddFramework' as const, fields: { ...known, controls: placed }, ...because(reason) };
}

function add({ controls }: FrameworkState): object {
  if (controls.length === 0) {
    throw new Refusal('invalid_input', 'A framework needs at least one control: give its controls.', {
      field: 'controls',
    });
  }
  refuseRepeated(controls);
  return {};
}

/** Controls are told apart by their numbers, which filters compare without case. */
function refuseRepeated(controls: readonly AdoptedControl[]): void {
  const first = new Map<string, number>();
  const issues: { field: string; message: string }[] = [];
  for (const [index, { section_title }] of controls.entries()) {
    const number = section_title.toLowerCase();
    const before = first.get(number);
    if (before === undefined) first.set(number, index);
    else issues.push({ field: `controls.${index}.section_title`, message: `repeats that of controls.${before}` });
  }
  const [repeated] = issues;
  if (repeated === undefined) return;
  const more = issues.length > 1 ? ` (${issues.length} problems, see issues)` : '';
  throw new Refusal(
    'invalid_input',
    `${repeated.field} ${repeated.message}: give each control a number of its own${more}.`,
    { field: repeated.field, issues },
  );
}

function refuseTooLarge(event: FrameworkEvent): void {
  const bytes = Buffer.byteLength(canonical(event.data));
  if (bytes <= MAX_ADOPTION_BYTES) return;
  const [size, most] = [Math.ceil(bytes / 1024), MAX_ADOPTION_BYTES / 1024];
  throw new Refusal(
    'too_large',
    `The framework is ${size} KiB and an adoption holds at most ${most} KiB: leave out or shorten its controls’ descriptions.`,
    { field: 'controls', hint: 'updateControl takes descriptions afterwards, control by control.' },
  );
}

const family = recordFamily<'FRAMEWORK', 'Framework', typeof DETAILS, typeof DECIDED, Adopted>(
  { type: 'FRAMEWORK', title: 'Framework', singular: 'framework', plural: 'frameworks', prefix: 'frm' },
  { details: DETAILS, decided: DECIDED, begins: 'Adopted', untold: ['controls'], add },
);

/** A framework of the library has one id in an organization: adopting it again changes nothing. */
function decide(command: FrameworkCommand, state: FrameworkState | null, context: DecisionContext): FrameworkEvent[] {
  if (command.type === 'AddFramework' && state !== null && state.library_id !== null) {
    refuseIfArchived(state);
    return [];
  }
  const events = family.decide(command, state, context);
  for (const event of events) if (event.type === 'FrameworkAdopted') refuseTooLarge(event);
  return events;
}

export const framework = { ...family, decide };
