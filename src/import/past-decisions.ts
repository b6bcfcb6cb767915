import { hasPastDecision } from '../commands/define-family.ts';
import { omit } from '../commands/record.ts';
import type { FamilyDescription } from '../register/family-description.ts';

/*
 * Past decisions in rows: a vendor's review, a risk's acceptance. A row has one if its state says so, such as APPROVED.
 */

type RowFields = Readonly<Record<string, unknown>>;

/** Returns an error if a row describes a decision that its state doesn't tell; else null. */
export function strayDecisionError(
  family: FamilyDescription,
  row: RowFields,
): { field: string; message: string } | null {
  const field = decisionFields(family).find((name) => row[name] !== undefined);
  if (field === undefined || hasPastDecision(family, row)) return null;
  const states = family.pastDecision!.states.join(', ');
  return { field, message: `needs ${family.workflow!.field} ${states}: give it too, or leave ${field} out` };
}

/** Returns a row without the fields that describe a decision, if its state tells of none. */
export function withoutStrayDecision<Row extends RowFields>(family: FamilyDescription, row: Row): Row {
  if (strayDecisionError(family, row) === null) return row;
  return omit(row, decisionFields(family)) as Row;
}

/** Returns a row with an end of its past acceptance, if it has an acceptance without one. */
export function withAcceptanceEnd<Row extends RowFields>(family: FamilyDescription, row: Row, end?: string): Row {
  const needsEnd = takesAcceptanceEnd(family) && row.accepted_until === undefined && hasPastDecision(family, row);
  return end !== undefined && needsEnd ? { ...row, accepted_until: end } : row;
}

/** Returns true for a family whose past decisions may have an end: risks. */
export const takesAcceptanceEnd = (family: FamilyDescription): boolean =>
  decisionFields(family).includes('accepted_until');

/** Takes the name of a person without an account out of a row, because events contain no names. */
export function takePersonName(family: FamilyDescription, row: RowFields) {
  const field = personFields(family).find((name) => isName(row[name]));
  if (field === undefined) return { fields: { ...row } };
  const { [field]: personName, ...fields } = row;
  return { fields, personName: String(personName) };
}

/** Returns the fields that take an account or a person's name. */
export function personFields({ pastDecision }: FamilyDescription): string[] {
  const fields = Object.entries(pastDecision?.fields ?? {});
  return fields.filter(([, { kind }]) => kind === 'person').map(([name]) => name);
}

function decisionFields({ pastDecision }: FamilyDescription): string[] {
  return Object.keys(pastDecision?.fields ?? {});
}

/** Anything that looks like an account is one, even if it has a mistake. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== 'ME' && !/^acc_/i.test(value);
}
