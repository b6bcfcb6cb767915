import { idPrefix } from '../../../commands/engine/ids.ts';
import { familyOfPrefix, linkablePrefixes } from '../../../register/families.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import type { ToolError } from '../../server/call-tool.ts';
import type { FormState, FormValues } from '../../server/form-state.ts';
import { withRoleNames } from '../../texts/role-labels.ts';
import { enumText } from '../field-content.tsx';
import { familyHeading } from '../rail-links.ts';
import type { FormCardProps } from './form-card.tsx';
import { type FormField, inputOf, isUnknownRecord, refusedWord, typedList, typedText } from './form-fields.ts';

type RefusableForm = Pick<FormCardProps, 'fields' | 'shownValue' | 'needsReason'>;

const SENT_BEFORE =
  'This form was saved before, with other contents. Open a new form to add another record, or change the one that you saved.';

/** A word that names no record is cut to this in the sentence about it. */
const MAX_WORD_CHARACTERS = 60;

/**
 * Returns the form to show again after a tool's error. Each problem stands at its field. Those of no field of the form stand
 * above it. A tool may name one missing input and stop, so every required field that is empty gets an error too.
 * @param shownValue the value of a field that was not sent
 */
export function refusedForm(
  error: ToolError,
  values: FormValues,
  family: Pick<FamilyDescription, 'fields'>,
  { fields, shownValue, needsReason = false }: RefusableForm,
): FormState {
  if (error.code === 'idempotency_conflict') return { values, errors: new Map(), formError: SENT_BEFORE };
  const labels = new Map([...fields.map(({ name, field }) => [name, field.label] as const), ['reason', 'Reason']]);
  const errors = new Map<string, string>();
  const others: string[] = [];
  for (const { field, message } of problemsOf(error)) {
    const name = inputOf(field);
    const label = labels.get(name);
    if (label === undefined) others.push(linkSentence(message) ?? inWords(message, family, labels));
    else if (!errors.has(name)) errors.set(name, problemText(error, { field, label, message }, family, labels, values));
  }
  const isEmpty = ({ name, field }: FormField) =>
    field.kind === 'ids'
      ? typedList(values, name).length === 0
      : (typedText(values, name) ?? shownValue({ name, field, choices: null })) === '';
  const missing = fields.filter((input) => input.field.required && isEmpty(input)).map(({ name }) => name);
  if (needsReason && !typedText(values, 'reason')) missing.push('reason');
  for (const name of missing) if (!errors.has(name)) errors.set(name, `${labels.get(name)} is required.`);
  // The summary of errors follows the form.
  const ordered = [...labels.keys()].flatMap((name) => (errors.has(name) ? [[name, errors.get(name)!] as const] : []));
  const formError = others.length > 0 || errors.size === 0 ? [...new Set(others)].join(' ') : null;
  return { values, errors: new Map(ordered), formError };
}

function problemsOf({ message, field = '', issues }: ToolError): readonly { field: string; message: string }[] {
  const isListed = issues !== undefined && issues.length > 0;
  return isListed ? issues : [{ field, message }];
}

/**
 * Returns a problem as a sentence. A tool's input has clauses, such as "is required"; its rules have sentences. A word that
 * may name several records has these as choices.
 */
function problemText(
  { field: mainField, candidates = [] }: ToolError,
  { field, label, message }: { field: string; label: string; message: string },
  family: Pick<FamilyDescription, 'fields'>,
  labels: Labels,
  values: FormValues,
): string {
  if (isUnknownRecord({ message })) {
    const next = field === mainField && candidates.length > 0 ? ' Choose one of these, or type another.' : '';
    const word = refusedWord({ field }, values);
    const shown = word.length > MAX_WORD_CHARACTERS ? `${word.slice(0, MAX_WORD_CHARACTERS)}…` : word;
    return `No record has the number or name “${shown}”.${next}`;
  }
  if (field === mainField && candidates.length > 0)
    return `${label} may be any of these: ${candidates.map(({ name }) => name).join(', ')}. Choose the one that you mean.`;
  if (message.startsWith('Give outcome; or withdraw')) return `Choose the ${label.toLowerCase()}.`;
  if (/^\w+ is in the future /.test(message)) return `${label} is in the future. Give today or an earlier day.`;
  const refusedLink = linkSentence(message);
  if (refusedLink !== null) return refusedLink;
  const isClause = /^\p{Ll}/u.test(message) && !message.endsWith('.');
  return inWords(isClause ? `${label} ${message}.` : message, family, labels);
}

/** The labels of a form's inputs by their names. */
type Labels = ReadonlyMap<string, string>;

/** Returns the sentence for two records that cannot be linked, without their ids; null for another refusal. */
function linkSentence(message: string): string | null {
  const [, from, to] = /^(\S+) cannot be linked with (\S+)\. /.exec(message) ?? [];
  if (from === undefined || to === undefined) return null;
  if (to === 'itself') return 'A record cannot be linked with itself.';
  const plural = (prefix: string) => familyHeading(familyOfPrefix(prefix)!).toLowerCase();
  const [prefix, other] = [idPrefix(from), idPrefix(to)];
  if (prefix === null || other === null) return null;
  const subject = familyHeading(familyOfPrefix(prefix)!);
  return `${subject} cannot be linked with ${plural(other)}, only with ${linkablePrefixes(prefix).map(plural).join(', ')}.`;
}

/** Words before which a rule's sentence names inputs, such as "Give outcome" and "one of url, text and sha256". */
const BEFORE_INPUTS = '(?:Give|Give also|Fill in|one of|why|leave|needs)';

/** Returns a message in the words of pages: roles, fields and values by their names there. */
export function inWords(message: string, { fields }: Pick<FamilyDescription, 'fields'>, labels: Labels): string {
  const values = new Map(
    Object.values(fields).flatMap((field) =>
      field.kind === 'enum' ? field.values.map((value) => [value, enumText(field, value)] as const) : [],
    ),
  );
  const labelOf = (name: string) => labels.get(name) ?? fields[name]?.label ?? name;
  const names = `(?:${[...labels.keys()].join('|')})\\b`;
  const listed = new RegExp(`(?<=^|\\b${BEFORE_INPUTS} )${names}(?:(?:, | and | or )${names})*`, 'g');
  return withRoleNames(message)
    .replace(/^[A-Z_]+ needs [^.]*\. Give ([^.]+) too\.$/, 'Fill in $1.')
    .replace(listed, (inputs) => inputs.replace(/\w+/g, (word) => labels.get(word) ?? word))
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, labelOf)
    .replace(/\b[A-Z][A-Z_]+\b/g, (code) => values.get(code) ?? code);
}
