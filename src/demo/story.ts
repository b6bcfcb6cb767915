import type { AuditCommand, AuditState } from '../commands/audit.ts';
import type { Role } from '../commands/caller.ts';
import type { ControlCommand, ControlState } from '../commands/control.ts';
import type { EvidenceState } from '../commands/evidence.ts';
import { FAMILIES, type FamilyName } from '../commands/families.ts';
import type { CommandOf } from '../commands/family.ts';
import { adoption, type FrameworkCommand } from '../commands/framework.ts';
import type { MeasureCommand, MeasureState } from '../commands/measure.ts';
import type { NonconformityCommand, NonconformityState } from '../commands/nonconformity.ts';
import type { ObligationCommand, ObligationState } from '../commands/obligation.ts';
import { because } from '../commands/record.ts';
import type { RiskCommand, RiskState } from '../commands/risk.ts';
import type { VendorCommand, VendorReview, VendorState } from '../commands/vendor.ts';
import type { LibraryFramework } from '../library/library.ts';

export const ORGANIZATION = 'Fjordlys Diagnostics';

/** Who acts in the demo. */
export const PEOPLE = {
  owner: { name: 'Ingrid Solheim', role: 'OWNER' },
  admin: { name: 'Mateo Vargas', role: 'ADMIN' },
  editor: { name: 'Priya Raman', role: 'EDITOR' },
  auditor: { name: 'Tomasz Zielinski', role: 'AUDITOR' },
} as const satisfies Record<string, { name: string; role: Role }>;

export type Person = keyof typeof PEOPLE;

/** Links the record with others, told by name. */
export interface Linking {
  type: 'Link';
  others: readonly string[];
}

type EvidenceCommand = CommandOf<'Evidence', EvidenceState>;
export type StoryCommand =
  | AuditCommand
  | ControlCommand
  | EvidenceCommand
  | FrameworkCommand
  | MeasureCommand
  | NonconformityCommand
  | ObligationCommand
  | RiskCommand
  | VendorCommand
  | Linking;

/** What somebody did, so many days ago. Fields that refer to records hold their names, which are looked up when told. */
export interface Step<Command> {
  ago: number;
  by: Person;
  command: Command;
}

/** Everything that happened to one record, in order. */
export interface Story {
  family: FamilyName;
  /** As other stories call its record: no other has the same. A control's is its number. */
  name: string;
  /** Where the id does not come from the name. */
  id?: string;
  steps: readonly Step<StoryCommand>[];
}

/** What a story needs to know of the day it is told on. */
export interface Telling {
  /** The date so many days from today; a negative number is in the past. */
  day: (offset: number) => string;
  account: (person: Person) => string;
}

/** Makes the stories of a family whose records are called by one of their fields. The first step adds the record. */
function storiesOf<State extends object, Command extends StoryCommand, Name extends keyof State & string>(
  family: FamilyName,
  name: Name,
) {
  return (
    ago: number,
    fields: Partial<State> & Record<Name, string>,
    ...then: readonly Step<Command | Linking>[]
  ): Story => {
    const command = { type: `Add${FAMILIES[family].title}`, fields } as unknown as Command;
    return { family, name: fields[name], steps: [{ ago, by: 'editor', command }, ...then] };
  };
}

function changesOf<State extends object, Command extends StoryCommand>(family: FamilyName) {
  return (ago: number, by: Person, changes: Partial<State>, reason?: string): Step<Command> => {
    const command = { type: `Update${FAMILIES[family].title}`, changes, ...because(reason) };
    return { ago, by, command: command as unknown as Command };
  };
}

export const auditStory = storiesOf<AuditState, AuditCommand, 'name'>('AUDIT', 'name');
export const auditChanged = changesOf<AuditState, AuditCommand>('AUDIT');

export const controlChanged = changesOf<ControlState, ControlCommand>('CONTROL');

/** A control is there with its framework: its story only goes on. */
export function controlStory(name: string, ...steps: readonly Step<ControlCommand | Linking>[]): Story {
  return { family: 'CONTROL', name, steps };
}

export const evidenceStory = storiesOf<EvidenceState, EvidenceCommand, 'name'>('EVIDENCE', 'name');

/** A framework of the library, called by its name there. */
export function frameworkStory(
  id: string,
  ago: number,
  { library_id, name, version, controls }: LibraryFramework,
): Story {
  const command = adoption(id, { library_id, name, version, controls });
  return { family: 'FRAMEWORK', name: library_id, id, steps: [{ ago, by: 'admin', command }] };
}

export const measureStory = storiesOf<MeasureState, MeasureCommand, 'reference_id'>('MEASURE', 'reference_id');
export const measureChanged = changesOf<MeasureState, MeasureCommand>('MEASURE');

export const nonconformityStory = storiesOf<NonconformityState, NonconformityCommand, 'reference_id'>(
  'NONCONFORMITY',
  'reference_id',
);
export const nonconformityChanged = changesOf<NonconformityState, NonconformityCommand>('NONCONFORMITY');

/** An obligation is called by its source. */
export const obligationStory = storiesOf<ObligationState, ObligationCommand, 'source'>('OBLIGATION', 'source');
export const obligationChanged = changesOf<ObligationState, ObligationCommand>('OBLIGATION');

export const riskStory = storiesOf<RiskState, RiskCommand, 'reference_id'>('RISK', 'reference_id');
export const riskChanged = changesOf<RiskState, RiskCommand>('RISK');

export const vendorStory = storiesOf<VendorState, VendorCommand, 'name'>('VENDOR', 'name');
export const vendorChanged = changesOf<VendorState, VendorCommand>('VENDOR');

export function reviewed(
  ago: number,
  by: Person,
  outcome: VendorReview['outcome'],
  findings: string,
  conditions?: string,
): Step<VendorCommand> {
  return { ago, by, command: { type: 'ReviewVendor', outcome, findings, ...(conditions ? { conditions } : {}) } };
}

export function accepted(ago: number, by: 'owner' | 'admin', until: string, reason: string): Step<RiskCommand> {
  return { ago, by, command: { type: 'DecideRisk', decision: 'ACCEPT', until, reason } };
}

export function decided(
  ago: number,
  by: Person,
  decision: 'REVOKE' | 'CLOSE' | 'REOPEN',
  reason: string,
): Step<RiskCommand> {
  return { ago, by, command: { type: 'DecideRisk', decision, reason } };
}

export function linked(ago: number, by: Person, ...others: readonly string[]): Step<Linking> {
  return { ago, by, command: { type: 'Link', others } };
}

export function archived(ago: number, reason: string): Step<{ type: 'Archive'; reason: string }> {
  return { ago, by: 'admin', command: { type: 'Archive', reason } };
}

/** Ratings as [likelihood, impact]. */
export function inherent([likelihood, impact]: readonly [number, number]) {
  return { inherent_likelihood: likelihood, inherent_impact: impact };
}

export function residual([likelihood, impact]: readonly [number, number]) {
  return { residual_likelihood: likelihood, residual_impact: impact };
}
