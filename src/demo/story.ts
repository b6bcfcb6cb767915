import type { Role } from '../commands/caller.ts';
import type { FamilyName } from '../commands/families.ts';
import type { RiskCommand, RiskState } from '../commands/risk.ts';
import type { VendorCommand, VendorReview, VendorState } from '../commands/vendor.ts';

export const ORGANIZATION = 'Fjordlys Diagnostics';

/** Who acts in the demo. */
export const PEOPLE = {
  owner: { name: 'Ingrid Solheim', role: 'OWNER' },
  admin: { name: 'Mateo Vargas', role: 'ADMIN' },
  editor: { name: 'Priya Raman', role: 'EDITOR' },
  auditor: { name: 'Tomasz Zielinski', role: 'AUDITOR' },
} as const satisfies Record<string, { name: string; role: Role }>;

export type Person = keyof typeof PEOPLE;

/** What somebody did, so many days ago. */
export interface Step<Command> {
  ago: number;
  by: Person;
  command: Command;
}

/** Everything that happened to one record, in order; the first step adds it. */
export interface Story {
  family: FamilyName;
  steps: readonly Step<VendorCommand | RiskCommand>[];
}

/** What a story needs to know of the day it is told on. */
export interface Telling {
  /** The date so many days from today; a negative number is in the past. */
  day: (offset: number) => string;
  account: (person: Person) => string;
}

const because = (reason: string | undefined) => (reason === undefined ? {} : { reason });

type VendorSteps = readonly Step<VendorCommand>[];
type RiskSteps = readonly Step<RiskCommand>[];

export function vendorStory(ago: number, fields: Partial<VendorState> & { name: string }, ...then: VendorSteps): Story {
  return { family: 'VENDOR', steps: [{ ago, by: 'editor', command: { type: 'AddVendor', fields } }, ...then] };
}

export function reviewed(
  ago: number,
  by: Person,
  outcome: VendorReview['outcome'],
  findings: string,
  conditions?: string,
): Step<VendorCommand> {
  return { ago, by, command: { type: 'ReviewVendor', outcome, findings, ...(conditions ? { conditions } : {}) } };
}

export function vendorChanged(
  ago: number,
  by: Person,
  changes: Partial<VendorState>,
  reason?: string,
): Step<VendorCommand> {
  return { ago, by, command: { type: 'UpdateVendor', changes, ...because(reason) } };
}

export function riskStory(ago: number, fields: Partial<RiskState> & { name: string }, ...then: RiskSteps): Story {
  return { family: 'RISK', steps: [{ ago, by: 'editor', command: { type: 'AddRisk', fields } }, ...then] };
}

export function riskChanged(ago: number, by: Person, changes: Partial<RiskState>, reason?: string): Step<RiskCommand> {
  return { ago, by, command: { type: 'UpdateRisk', changes, ...because(reason) } };
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

export function archived(ago: number, reason: string): Step<VendorCommand & RiskCommand> {
  return { ago, by: 'admin', command: { type: 'Archive', reason } };
}

/** Ratings as [likelihood, impact]. */
export function inherent([likelihood, impact]: readonly [number, number]): Partial<RiskState> {
  return { inherent_likelihood: likelihood, inherent_impact: impact };
}

export function residual([likelihood, impact]: readonly [number, number]): Partial<RiskState> {
  return { residual_likelihood: likelihood, residual_impact: impact };
}
