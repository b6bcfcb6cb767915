import { type AdoptedControl, FRAMEWORK, type FrameworkEvent, type FrameworkState } from '../register/framework.ts';
import { canonical } from '../trail/canonical.ts';
import { type CommandOf, defineFamily } from './define-family.ts';
import type { DecisionContext } from './engine/decider.ts';
import { controlId } from './engine/ids.ts';
import { invalidField, Refusal } from './engine/refusal.ts';
import { omitEmpty, refuseIfArchived, withReason } from './record.ts';

/** Limit of an adoption's data in canonical form, because one event must fit into one append of every store. */
export const MAX_ADOPTION_BYTES = 768 * 1024;

/** A control of a framework to adopt. Its identifier, `section_title`, is unique in the framework. */
export interface FrameworkControlInput {
  section_title: string;
  name: string;
  description?: string | null | undefined;
  /** The publisher's headings above it. */
  group?: string | undefined;
  /** The identifier of the control that it belongs to. */
  parent?: string | undefined;
}

export type FrameworkCommand = CommandOf<typeof FRAMEWORK, FrameworkState>;

/** A framework to adopt. Absent and null fields are unknown. */
export interface FrameworkInput {
  library_id?: string | null | undefined;
  name: string;
  version?: string | null | undefined;
  description?: string | null | undefined;
  note?: string | null | undefined;
  owner_id?: string | null | undefined;
  controls: readonly FrameworkControlInput[];
}

/** Returns the command that adopts a framework under an id. Each control gets its id from its index in the list. */
export function adoptionCommand(id: string, { controls, ...fields }: FrameworkInput, reason?: string) {
  const adopted = controls.map(
    (control, index) => ({ id: controlId(id, index), ...omitEmpty(control) }) as AdoptedControl,
  );
  const details = omitEmpty(fields) as Partial<FrameworkState>;
  return { type: 'AddFramework' as const, fields: { ...details, controls: adopted }, ...withReason(reason) };
}

function add({ controls = [] }: FrameworkState): object {
  if (controls.length === 0) {
    throw invalidField('controls', 'A framework needs at least one control. Give its controls.');
  }
  refuseDuplicateIdentifiers(controls);
  return {};
}

/** Refuses controls with the same identifier. Ignores case, as filters do. */
function refuseDuplicateIdentifiers(controls: readonly AdoptedControl[]): void {
  const firstIndex = new Map<string, number>();
  const issues: { field: string; message: string }[] = [];
  for (const [index, { section_title }] of controls.entries()) {
    const identifier = section_title.toLowerCase();
    const previousIndex = firstIndex.get(identifier);
    if (previousIndex === undefined) firstIndex.set(identifier, index);
    else
      issues.push({
        field: `controls.${index}.section_title`,
        message: `repeats controls.${previousIndex}.section_title`,
      });
  }
  const [duplicate] = issues;
  if (duplicate === undefined) return;
  const more = issues.length > 1 ? ` (${issues.length} problems, see issues)` : '';
  throw new Refusal(
    'invalid_input',
    `${duplicate.field} ${duplicate.message}. Give each control its own section_title${more}.`,
    { field: duplicate.field, issues },
  );
}

function refuseTooLarge(event: FrameworkEvent): void {
  const bytes = Buffer.byteLength(canonical(event.data));
  if (bytes <= MAX_ADOPTION_BYTES) return;
  const [size, limit] = [Math.ceil(bytes / 1024), MAX_ADOPTION_BYTES / 1024];
  throw new Refusal(
    'too_large',
    `The framework is ${size} KiB, and the limit is ${limit} KiB. Shorten or omit its controls’ descriptions.`,
    { field: 'controls', hint: 'Add the descriptions afterwards with updateControl, one control at a time.' },
  );
}

const family = defineFamily(FRAMEWORK, { add });

/** Ignores a second adoption of a library framework, which always has the same id in an organization. */
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
