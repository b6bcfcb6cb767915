import type { ChangesSince, FieldDifference, LinkedChange } from '../../../queries/records/changes-since.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { Field } from '../../../register/field.ts';
import { recordCount } from '../../../texts/record-count.ts';
import { shareText } from '../../../texts/words.ts';
import { countText } from '../../texts/counts.ts';
import { enumText } from '../field-content.tsx';

/** More differences of one kind are counted instead of named. */
const MAX_NAMED = 3;

/** Returns a sentence such as `Since then: 1 piece of evidence added, NC-01 closed.` */
export function sinceThenText(family: FamilyDescription, changes: ChangesSince): string {
  const phrases = differencePhrases(family, changes);
  if (phrases.length > 0) return `Since then: ${phrases.join(', ')}.`;
  return changes.isComplete ? 'It has not changed since.' : 'Nothing that is listed here has changed since.';
}

/** Returns phrases for all differences, such as `NC-01 closed`. None without differences. */
export function differencePhrases(family: FamilyDescription, changes: ChangesSince): string[] {
  const { archiving, fields, linked, totals } = changes;
  return [
    ...(archiving === null ? [] : [archiving.toLowerCase()]),
    ...fieldPhrases(family, fields),
    ...FAMILY_DESCRIPTIONS.flatMap((other) =>
      linkedPhrases(
        other,
        linked.filter(({ type }) => type === other.type),
      ),
    ),
    ...(totals === null ? [] : [`links ${countText(totals.from)} → ${countText(totals.to)}`]),
  ];
}

/** Returns phrases such as `score 10 → 15` and `description changed`, the state and the score first. */
function fieldPhrases({ workflow }: FamilyDescription, fields: readonly FieldDifference[]): string[] {
  const rank = ({ name }: FieldDifference) => (name === workflow?.field ? 0 : name === 'score' ? 1 : 2);
  const phrases = fields.toSorted((a, b) => rank(a) - rank(b)).map(fieldPhrase);
  const more = phrases.length - MAX_NAMED;
  return more <= 1 ? phrases : [...phrases.slice(0, MAX_NAMED), `${more} more fields changed`];
}

function fieldPhrase({ field, from, to }: FieldDifference): string {
  const label = lowerFirst(field.label);
  switch (field.kind) {
    case 'past':
      return to === true ? label : `no longer ${label}`;
    case 'enum': {
      const words = (value: unknown) => (value === null ? 'none' : enumText(field, String(value)).toLowerCase());
      return `${label} ${words(from)} → ${words(to)}`;
    }
    case 'share':
      return `${label} ${from === null ? 'none' : shareText(Number(from))} → ${to === null ? 'none' : shareText(Number(to))}`;
    case 'rating':
    case 'score':
    case 'months':
    case 'count':
    case 'validCount':
      return `${label} ${from ?? 'none'} → ${to ?? 'none'}`;
    default:
      return changeWords(field, from, to);
  }
}

function changeWords({ label: heading, kind, setBy }: Field, from: unknown, to: unknown): string {
  const label = lowerFirst(heading);
  // Such as `replaced by another`.
  if (kind === 'id' && setBy === 'COMMAND') return to === null ? `no longer ${label} another` : `${label} another`;
  if (from === null) return `${label} recorded`;
  return to === null ? `${label} removed` : `${label} changed`;
}

/** Returns phrases about the linked records of one family, such as `M-08 linked` and `NC-01 closed`. */
function linkedPhrases(family: FamilyDescription, changes: readonly LinkedChange[]): string[] {
  const isEvidence = family.type === 'EVIDENCE';
  const verbs = { LINKED: isEvidence ? 'added' : 'linked', UNLINKED: isEvidence ? 'removed' : 'unlinked' };
  return (['LINKED', 'UNLINKED', 'ARCHIVED', 'RESTORED', 'CHANGED'] as const).flatMap((outcome) => {
    const ofOutcome = changes.filter((change) => change.outcome === outcome);
    const isCounted = ofOutcome.length > MAX_NAMED || (isEvidence && outcome in verbs);
    const verb = outcome === 'LINKED' || outcome === 'UNLINKED' ? verbs[outcome] : outcome.toLowerCase();
    if (!isCounted) return ofOutcome.map((change) => `${shortName(change)}${outcomeWords(family, change, verb)}`);
    return ofOutcome.length === 0 ? [] : [`${recordCount(family, ofOutcome.length)} ${verb}`];
  });
}

/** Returns the state that a linked record reached, ` closed`, another difference, `: score 10 → 15`, or the verb. */
function outcomeWords({ workflow }: FamilyDescription, { outcome, fields }: LinkedChange, verb: string): string {
  const state = fields.find(({ name }) => name === workflow?.field);
  if (state !== undefined) return ` ${enumText(state.field, String(state.to)).toLowerCase()}`;
  const [first] = fields;
  if (outcome !== 'CHANGED' || first === undefined) return ` ${verb}`;
  return first.field.kind === 'past' ? ` ${fieldPhrase(first)}` : `: ${fieldPhrase(first)}`;
}

/** A linked record's number, or its name in quotes. */
function shortName({ record }: LinkedChange): string {
  const number = record.reference_id ?? record.section_title;
  return typeof number === 'string' && number !== '' ? number : `“${record.name}”`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
