import { type Caller, ROLES, type Role } from './caller.ts';
import { Refusal } from './refusal.ts';

/** Who may do something, and whether a credential that only reads may too. */
export interface Rule {
  roles: readonly Role[];
  writes: boolean;
  /** What is done, where its name does not say it: it stands in refusals and in the reference. */
  about?: string;
}

const from = (least: Role): readonly Role[] => ROLES.slice(ROLES.indexOf(least));
const reads = (roles: readonly Role[], about?: string): Rule => ({ roles, writes: false, ...(about ? { about } : {}) });
const writes = (roles: readonly Role[], about?: string): Rule => ({ roles, writes: true, ...(about ? { about } : {}) });

const ALL = ROLES;
const INSPECTING = from('AUDITOR');
const WRITING = from('EDITOR');
const DECIDING = from('ADMIN');
const OWNING = from('OWNER');

/** Every tool, by its name. */
const TOOLS = {
  listOrganizations: reads(ALL),
  listChanges: reads(INSPECTING, 'what was changed'),
  getRecords: reads(ALL),
  getReport: reads(INSPECTING, 'reports'),
  listRisks: reads(ALL),
  addRisk: writes(WRITING),
  updateRisk: writes(WRITING),
  decideRisk: writes(WRITING),
  listMeasures: reads(ALL),
  addMeasure: writes(WRITING),
  updateMeasure: writes(WRITING),
  listVendors: reads(ALL),
  addVendor: writes(WRITING),
  updateVendor: writes(WRITING),
  reviewVendor: writes(WRITING),
  listObligations: reads(ALL),
  addObligation: writes(WRITING),
  updateObligation: writes(WRITING),
  listNonconformities: reads(ALL),
  addNonconformity: writes(WRITING),
  updateNonconformity: writes(WRITING),
  listFrameworks: reads(ALL),
  addFramework: writes(DECIDING),
  listControls: reads(ALL),
  updateControl: writes(WRITING),
  listAudits: reads(ALL),
  addAudit: writes(WRITING),
  updateAudit: writes(WRITING),
  addEvidence: writes(WRITING),
  linkRecords: writes(WRITING),
  importRecords: writes(WRITING),
  archiveRecords: writes(DECIDING),
} as const satisfies Record<string, Rule>;

/** What of a tool is not for all who may use it. */
const OF_TOOLS = {
  'as_of another day': reads(INSPECTING, 'the past'),
  'getRecords HISTORY': reads(INSPECTING, 'the history'),
  // An EDITOR is no AUDITOR of people: who signed in from where is for those who answer for the register, or examine it.
  'listChanges ACCESS': reads(['AUDITOR', 'ADMIN', 'OWNER'], 'the access log'),
  'decideRisk ACCEPT': writes(DECIDING, 'recording the acceptance of a risk'),
} as const satisfies Record<string, Rule>;

/** What is done in the web pages and by the command line. */
const BESIDE_TOOLS = {
  changeMembers: writes(OWNING, 'inviting, changing and removing members, and admitting domains'),
  renameOrganization: writes(DECIDING, 'giving the organization another name'),
  seeTokens: reads(DECIDING, 'seeing the tokens and assistants of all members'),
  takeOutTokens: writes(DECIDING, 'taking other members’ tokens and assistants out'),
  makeTokens: writes(ALL, 'making tokens and connecting assistants of one’s own, with a role up to one’s own'),
} as const satisfies Record<string, Rule>;

/**
 * Who may what: the one table of roles, for every tool and for the finer deeds. Whatever decides by role asks it. A
 * credential has the lower of its own role and its account's present one; see `permit`.
 */
export const RULES = { ...TOOLS, ...OF_TOOLS, ...BESIDE_TOOLS };

export type Deed = keyof typeof RULES;
export type ToolDeed = keyof typeof TOOLS;

/** Deeds that no tool does. */
export const WEB_DEEDS: readonly string[] = Object.keys(BESIDE_TOOLS);

/** A tool's line. @throws Error for one that the table lacks */
export function deedOf(tool: string): ToolDeed {
  if (Object.hasOwn(TOOLS, tool)) return tool as ToolDeed;
  throw new Error(`${tool} is not in the table of roles: add a line`);
}

/** Of a role that somebody named. @throws Refusal invalid_input */
export function requireRole(role: Role): void {
  if (ROLES.includes(role)) return;
  throw new Refusal('invalid_input', `Choose one of the roles ${ROLES.join(', ')}.`, { field: 'role', allowed: ROLES });
}

/** Whether a role may do it. */
export function may(role: Role, deed: Deed): boolean {
  const { roles }: Rule = RULES[deed];
  return roles.includes(role);
}

/** The one of two roles that may do less. */
export function lowerRole(a: Role, b: Role): Role {
  return ROLES.indexOf(a) <= ROLES.indexOf(b) ? a : b;
}

/** The caller's role in an organization. @throws Refusal not_found: nothing tells whether it exists */
export function roleIn(caller: Caller, organizationId: string): Role {
  const role = caller.roles.get(organizationId);
  if (role !== undefined) return role;
  throw new Refusal(
    'not_found',
    'There is no such organization for this token: listOrganizations names those there are.',
    { field: 'organization_id' },
  );
}

/**
 * Whether a caller may do something in an organization. Both the credential's role and the member's have to: an EDITOR
 * does not come by what an AUDITOR may and an EDITOR may not, by making an AUDITOR's token.
 */
export function permits(caller: Caller, organizationId: string, deed: Deed): boolean {
  const role = caller.roles.get(organizationId);
  const member = caller.members.get(organizationId);
  if (role === undefined || member === undefined) return false;
  return may(role, deed) && may(member, deed) && !(caller.read_only && RULES[deed].writes);
}

/**
 * The role in which a caller does something in an organization.
 * @throws Refusal not_found as `roleIn` does, forbidden where it may not
 */
export function permit(caller: Caller, organizationId: string, deed: Deed): Role {
  const role = roleIn(caller, organizationId);
  if (permits(caller, organizationId, deed)) return role;
  const rule: Rule = RULES[deed];
  if (caller.read_only && rule.writes) {
    throw new Refusal('forbidden', 'This token only reads: use one that may write.');
  }
  throw forbidden(deed, may(role, deed) ? caller.members.get(organizationId) : role);
}

/** What whoever may not do it is told. */
export function forbidden(deed: Deed, role: Role | null | undefined): Refusal {
  const { roles, about }: Rule = RULES[deed];
  const needed = roles.length > 2 ? `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}` : roles.join(' or ');
  return new Refusal(
    'forbidden',
    `For ${about ?? deed} the role has to be ${needed}, here it is ${role ?? 'none'}: ask an OWNER for it.`,
  );
}
