import type { AuditCommand } from '../commands/audit.ts';
import type { ControlCommand } from '../commands/control.ts';
import type { CommandOf } from '../commands/define-family.ts';
import { FAMILIES } from '../commands/families.ts';
import { adoptionCommand, type FrameworkCommand } from '../commands/framework.ts';
import type { MeasureCommand } from '../commands/measure.ts';
import type { NonconformityCommand } from '../commands/nonconformity.ts';
import type { ObligationCommand } from '../commands/obligation.ts';
import type { Role } from '../commands/organization/caller.ts';
import { withReason } from '../commands/record.ts';
import type { RiskCommand } from '../commands/risk.ts';
import type { VendorCommand } from '../commands/vendor.ts';
import type { LibraryFramework } from '../library/framework-library.ts';
import type { AuditState } from '../register/audit.ts';
import type { ControlState } from '../register/control.ts';
import type { EVIDENCE, EvidenceState } from '../register/evidence.ts';
import type { FamilyName } from '../register/families.ts';
import type { MeasureState } from '../register/measure.ts';
import type { NonconformityState } from '../register/nonconformity.ts';
import type { ObligationState } from '../register/obligation.ts';
import type { RiskState } from '../register/risk.ts';
import type { VendorReview, VendorState } from '../register/vendor.ts';

export const ORGANIZATION = 'Fjordlys Diagnostics';

/** A person of the demo, with one sentence about what they look for in the register. */
interface Person {
  name: string;
  role: Role;
  interest: string;
}

/** The people of the demo, as its page introduces them. */
export const PEOPLE = {
  owner: {
    name: 'Ingrid Solheim',
    role: 'OWNER',
    interest: 'Compliance officer. Every Monday she looks for what is overdue, and for the reason behind a number.',
  },
  auditor: {
    name: 'Tomasz Zielinski',
    role: 'AUDITOR',
    interest: 'Auditor. He samples a control as it stood at the certification, and trusts nothing that he can’t check.',
  },
  viewer: {
    name: 'Astrid Lund',
    role: 'VIEWER',
    interest: 'Managing director. She wants to see where the laboratory stands, and what moved this quarter.',
  },
  admin: {
    name: 'Mateo Vargas',
    role: 'ADMIN',
    interest: 'Head of IT. He owns most of the security risks, and signs off their treatment.',
  },
  editor: {
    name: 'Priya Raman',
    role: 'EDITOR',
    interest: 'Quality and privacy. She keeps vendors, obligations and findings up to date.',
  },
} as const satisfies Record<string, Person>;

export type DemoPerson = keyof typeof PEOPLE;

/** Links the story's record with others by their names. */
export interface LinkByName {
  type: 'Link';
  others: readonly string[];
}

type EvidenceCommand = CommandOf<typeof EVIDENCE, EvidenceState>;
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
  | LinkByName;

/** A command of the past. Fields that refer to records hold names, which are replaced by ids. */
export interface StoryStep<Command> {
  daysAgo: number;
  by: DemoPerson;
  command: Command;
}

/** All commands on one record, in order. */
export interface Story {
  family: FamilyName;
  /** A unique name, by which other stories refer to the record. A control's name is its number. */
  name: string;
  /** The record's id, if it isn't derived from the name. */
  id?: string;
  steps: readonly StoryStep<StoryCommand>[];
}

/** Dates and account ids for the stories. */
export interface StoryContext {
  /** Returns the date `offset` days from today. A negative offset is in the past. */
  day: (offset: number) => string;
  accountId: (person: DemoPerson) => string;
}

/** Returns a function that makes a family's stories. One field gives the story's name. The first step adds the record. */
function storyMaker<State extends object, Command extends StoryCommand, Name extends keyof State & string>(
  family: FamilyName,
  name: Name,
) {
  return (
    daysAgo: number,
    fields: Partial<State> & Record<Name, string>,
    ...steps: readonly StoryStep<Command | LinkByName>[]
  ): Story => {
    const command = { type: FAMILIES[family].commands.add, fields } as unknown as Command;
    return { family, name: fields[name], steps: [{ daysAgo, by: 'editor', command }, ...steps] };
  };
}

function updateMaker<State extends object, Command extends StoryCommand>(family: FamilyName) {
  return (daysAgo: number, by: DemoPerson, changes: Partial<State>, reason?: string): StoryStep<Command> => {
    const command = { type: FAMILIES[family].commands.update, changes, ...withReason(reason) };
    return { daysAgo, by, command: command as unknown as Command };
  };
}

export const auditStory = storyMaker<AuditState, AuditCommand, 'name'>('AUDIT', 'name');
export const updateAudit = updateMaker<AuditState, AuditCommand>('AUDIT');

export const updateControl = updateMaker<ControlState, ControlCommand>('CONTROL');

/** Makes a control's story. No step adds the control, because its framework does. */
export function controlStory(name: string, ...steps: readonly StoryStep<ControlCommand | LinkByName>[]): Story {
  return { family: 'CONTROL', name, steps };
}

export const evidenceStory = storyMaker<EvidenceState, EvidenceCommand, 'name'>('EVIDENCE', 'name');

/** Makes the story of a library framework. Its name is its id in the library. */
export function frameworkStory(
  id: string,
  daysAgo: number,
  { library_id, name, version, controls }: LibraryFramework,
): Story {
  const command = adoptionCommand(id, { library_id, name, version, controls });
  return { family: 'FRAMEWORK', name: library_id, id, steps: [{ daysAgo, by: 'admin', command }] };
}

export const measureStory = storyMaker<MeasureState, MeasureCommand, 'reference_id'>('MEASURE', 'reference_id');
export const updateMeasure = updateMaker<MeasureState, MeasureCommand>('MEASURE');

export const nonconformityStory = storyMaker<NonconformityState, NonconformityCommand, 'reference_id'>(
  'NONCONFORMITY',
  'reference_id',
);
export const updateNonconformity = updateMaker<NonconformityState, NonconformityCommand>('NONCONFORMITY');

/** An obligation's story has the name of its source. */
export const obligationStory = storyMaker<ObligationState, ObligationCommand, 'source'>('OBLIGATION', 'source');
export const updateObligation = updateMaker<ObligationState, ObligationCommand>('OBLIGATION');

export const riskStory = storyMaker<RiskState, RiskCommand, 'reference_id'>('RISK', 'reference_id');
export const updateRisk = updateMaker<RiskState, RiskCommand>('RISK');

export const vendorStory = storyMaker<VendorState, VendorCommand, 'name'>('VENDOR', 'name');
export const updateVendor = updateMaker<VendorState, VendorCommand>('VENDOR');

export function reviewVendor(
  daysAgo: number,
  by: DemoPerson,
  outcome: VendorReview['outcome'],
  findings: string,
  conditions?: string,
): StoryStep<VendorCommand> {
  return {
    daysAgo,
    by,
    command: { type: 'ReviewVendor', outcome, findings, ...(conditions ? { conditions } : {}) },
  };
}

export function acceptRisk(
  daysAgo: number,
  by: 'owner' | 'admin',
  until: string,
  reason: string,
): StoryStep<RiskCommand> {
  return { daysAgo, by, command: { type: 'DecideRisk', decision: 'ACCEPT', until, reason } };
}

export function decideRisk(
  daysAgo: number,
  by: DemoPerson,
  decision: 'REVOKE' | 'CLOSE' | 'REOPEN',
  reason: string,
): StoryStep<RiskCommand> {
  return { daysAgo, by, command: { type: 'DecideRisk', decision, reason } };
}

export function linkWith(daysAgo: number, by: DemoPerson, ...others: readonly string[]): StoryStep<LinkByName> {
  return { daysAgo, by, command: { type: 'Link', others } };
}

export function archive(daysAgo: number, reason: string): StoryStep<{ type: 'Archive'; reason: string }> {
  return { daysAgo, by: 'admin', command: { type: 'Archive', reason } };
}

/** Returns the fields of an inherent rating, given as [likelihood, impact]. */
export function inherent([likelihood, impact]: readonly [number, number]) {
  return { inherent_likelihood: likelihood, inherent_impact: impact };
}

export function residual([likelihood, impact]: readonly [number, number]) {
  return { residual_likelihood: likelihood, residual_impact: impact };
}
