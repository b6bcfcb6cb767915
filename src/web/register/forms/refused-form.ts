import type { FamilyDescription } from '../../../register/family-description.ts';
import type { ToolError } from '../../server/call-tool.ts';
import type { FormState, FormValues } from '../../server/form-state.ts';
import { withRoleNames } from '../../texts/role-labels.ts';
import { enumText } from '../field-content.tsx';
import type { FormField } from './form-fields.ts';

const SENT_BEFORE =
  'This form was saved before, with other contents. Open a new form to add another record, or change the one that you saved.';

/**
 * Returns the form to show again after a tool's error. Each problem stands at its field. Those of no field of the form stand
 * above it.
 */
export function refusedForm(
  error: ToolError,
  values: FormValues,
  family: FamilyDescription,
  fields: readonly FormField[],
): FormState {
  if (error.code === 'idempotency_conflict') return { values, errors: new Map(), formError: SENT_BEFORE };
  const labels = new Map([...fields.map(({ name, field }) => [name, field.label] as const), ['reason', 'Reason']]);
  const errors = new Map<string, string>();
  const others: string[] = [];
  for (const { field, message } of problemsOf(error)) {
    // A list names its item too, such as `record_ids.0` and `links.0.to_id`.
    const name = field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
    const label = labels.get(name);
    if (label === undefined) others.push(inWords(message, family));
    else if (!errors.has(name)) errors.set(name, problemText(error, label, { field, message }, family));
  }
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
 * may name several records is answered with their names.
 */
function problemText(
  { field: mainField, candidates = [] }: ToolError,
  label: string,
  { field, message }: { field: string; message: string },
  family: FamilyDescription,
): string {
  if (field === mainField && candidates.length > 0)
    return `${label} may be ${candidates.map(({ name }) => name).join(', or ')}. Type the number of one.`;
  const isClause = /^\p{Ll}/u.test(message);
  return inWords(isClause ? `${label} ${message}.` : message, family);
}

/** Returns a message in the words of pages: roles, fields and values by their names there. */
function inWords(message: string, { fields }: FamilyDescription): string {
  const values = new Map(
    Object.values(fields).flatMap((field) =>
      field.kind === 'enum' ? field.values.map((value) => [value, enumText(field, value)] as const) : [],
    ),
  );
  return withRoleNames(message)
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => fields[name]?.label ?? name)
    .replace(/\b[A-Z][A-Z_]+\b/g, (code) => values.get(code) ?? code);
}
