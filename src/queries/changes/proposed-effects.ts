import { type CrosswalkCommand, type CrosswalkState, linksOfImport } from '../../commands/crosswalk.ts';
import { idPrefix } from '../../commands/engine/ids.ts';
import type { RehearsalHandler, RehearsedCommand } from '../../commands/engine/rehearsal-handler.ts';
import { familyOf } from '../../commands/families.ts';
import type { LinkState } from '../../commands/link.ts';
import { POLICY_FIELDS } from '../../commands/organization/approval-policy.ts';
import { fieldDifferences, linkFieldChanges } from '../../projections/history/change-rows.ts';
import { idsOfPairStream, isCrosswalkStream, isLinkStream, recordIdOf } from '../../projections/models.ts';
import type { FrameworkState } from '../../register/framework.ts';
import type { ProposedChange, ProposedEffect } from '../../register/proposal.ts';

const NOT_LINKED: LinkState = { linked: false, relation: null };

/** Stand for the time of the approval and for the person who approves. No input has a value of this form. */
export const TIME_OF_APPROVAL = { on_approval: 'TIME' } as const;
const APPROVER = { on_approval: 'PERSON' } as const;

/** Returns what stands for a value that the approval sets; undefined for any other value. */
export function setOnApproval(value: unknown): 'TIME' | 'PERSON' | undefined {
  const isOf = ({ on_approval }: typeof TIME_OF_APPROVAL | typeof APPROVER) =>
    typeof value === 'object' && value !== null && 'on_approval' in value && value.on_approval === on_approval;
  return [TIME_OF_APPROVAL, APPROVER].find(isOf)?.on_approval;
}

/** Returns true if a call has a value as it was proposed. What the approval sets is as proposed, whatever it is. */
export function isAsProposed(proposed: unknown, value: unknown): boolean {
  if (setOnApproval(proposed) !== undefined) return true;
  if (typeof proposed !== 'object' || typeof value !== 'object' || proposed === null || value === null)
    return proposed === value;
  const [members, others] = [Object.entries(proposed), Object.keys(value)];
  return (
    members.length === others.length &&
    members.every(([name, member]) => isAsProposed(member, (value as Record<string, unknown>)[name]))
  );
}

/** The members that an event takes from the account that acts, unless the input names one. */
const ACTOR_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  VendorReviewed: ['reviewed_by'],
  RiskAccepted: ['approver_id', 'recorded_by'],
  RiskAcceptanceImported: ['recorded_by'],
};

/**
 * Returns what a call would do to each record and link, as the history would have it. The records come first, each kind by
 * its ids: commands that run at once end in any order.
 */
export function proposedEffects({ rehearsed, startedAt, now }: RehearsalHandler): ProposedEffect[] {
  const end = now();
  const isTime = (value: string) => value >= startedAt && value <= end;
  const effects = rehearsed.flatMap((command) => {
    const isApprover = approverTest(command);
    const placeholder = (value: string, member: string) =>
      isTime(value) ? TIME_OF_APPROVAL : isApprover(value, member) ? APPROVER : value;
    return effectsOf(command).map(({ changes, ...effect }) => ({
      ...effect,
      changes: changes.map((change) => ({ ...change, to: replaceTexts(change.to, change.field, placeholder) })),
    }));
  });
  return effects.sort(byRecord);
}

function byRecord(one: ProposedEffect, other: ProposedEffect): number {
  const [a, b] = [one, other].map(
    ({ record_id, linked_id = '' }) => `${linked_id && 'link'} ${record_id} ${linked_id}`,
  );
  return a! < b! ? -1 : Number(a! > b!);
}

/** Replaces the texts in a value, each with the name of its member. */
function replaceTexts(value: unknown, member: string, replace: (text: string, member: string) => unknown): unknown {
  if (typeof value === 'string') return replace(value, member);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, member, replace));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaceTexts(inner, name, replace)]));
}

/** Returns a test for members that hold the acting account because it acts. */
function approverTest({ envelope, rehearsal }: RehearsedCommand): (value: string, member: string) => boolean {
  const input = envelope.input as Readonly<Record<string, unknown>>;
  const members = rehearsal.event_types.flatMap((type) => ACTOR_MEMBERS[type] ?? []);
  return (value, member) => value === envelope.actor_id && members.includes(member) && input[member] === undefined;
}

function effectsOf(rehearsed: RehearsedCommand): ProposedEffect[] {
  return isCrosswalkStream(rehearsed.stream) ? crosswalkEffects(rehearsed) : [effectOf(rehearsed)];
}

/** A call states at most 200 pairs, so all are listed. */
function crosswalkEffects({ command, rehearsal: { event_types, state } }: RehearsedCommand): ProposedEffect[] {
  const links = linksOfImport(command as CrosswalkCommand, state as CrosswalkState);
  const stateOf = (relation: LinkState['relation']): LinkState => ({ linked: relation !== null, relation });
  return links.map(({ ids: [record_id, linked_id], before, after }) => {
    const transition = { before: stateOf(before), after: stateOf(after) };
    return { record_id, linked_id, event_types, changes: linkFieldChanges(transition, record_id, linked_id) };
  });
}

function effectOf({ stream, rehearsal: { event_types, before, state } }: RehearsedCommand): ProposedEffect {
  if (isLinkStream(stream)) {
    const [record_id, linked_id] = idsOfPairStream(stream);
    const transition = { before: (before as LinkState | null) ?? NOT_LINKED, after: state as LinkState };
    return { record_id, linked_id, event_types, changes: linkFieldChanges(transition, record_id, linked_id) };
  }
  const record_id = recordIdOf(stream);
  return { record_id, event_types, changes: recordDifferences(record_id, before, state) };
}

/** Returns a record's changed fields. A new record's empty fields don't count. */
function recordDifferences(id: string, before: object | null, state: object | null): ProposedChange[] {
  const fields = idPrefix(id) === 'org' ? POLICY_FIELDS : familyOf(id).historyFields;
  const changes = fieldDifferences(fields, before ?? {}, state ?? {});
  if (before !== null) return changes;
  return [...changes.filter(({ from, to }) => !isEmptyValue(from, to)), ...ownControls(state as FrameworkState | null)];
}

/** Returns the controls of a new framework that isn't from the library: a person approves their texts too. */
function ownControls(state: FrameworkState | null): ProposedChange[] {
  if (state?.controls === undefined || state.library_id !== null) return [];
  return state.controls.map(({ id, section_title, name, description, group, parent }) => {
    const texts = [[section_title, name].join(' '), description, group, parent];
    return { field: `controls.${id}`, from: null, to: texts.filter(Boolean).join('; ') };
  });
}

const isEmptyValue = (from: unknown, to: unknown) => from === null && Array.isArray(to) && to.length === 0;
