/** @jsxRuntime automatic @jsxImportSource preact */
import type { Member } from '../../identity/memberships/members.ts';
import { type ChoiceList, MAX_CHOICES, type ReportChoices } from '../../reports/report-choices.ts';
import type { ReportInputName } from '../../reports/report-type.ts';
import { BLANK_FORM } from '../server/form-state.ts';
import { type Choice, SelectField, TextField } from './fields.tsx';

/** The choices of a report's select fields. */
export interface ReportFieldChoices {
  audits: readonly Choice[];
  frameworks: readonly Choice[];
  owners: readonly Choice[];
  /** Hints for lists that are not complete. */
  truncationHints: Partial<Record<ReportInputName, string>>;
}

const TREND_CHOICES = [
  { value: '', label: 'None' },
  { value: 'MONTH', label: 'By month' },
];
const DATE_LABELS: Partial<Record<ReportInputName, string>> = { until: 'Due by', from: 'From', to: 'To' };
const OWNER_CHOICES: readonly Choice[] = [
  { value: '', label: 'Everyone’s' },
  { value: 'ME', label: 'Your own' },
];

/** Returns the choices for a report's fields. Members are sorted by name. @param accountId the account that chooses */
export function reportFieldChoices(
  { audits, frameworks }: ReportChoices,
  members: readonly Member[],
  accountId: string,
): ReportFieldChoices {
  const otherMembers = members
    .filter(({ account_id }) => account_id !== accountId)
    .sort((a, b) => a.name.localeCompare(b.name) || a.account_id.localeCompare(b.account_id));
  const otherChoices = otherMembers
    .slice(0, MAX_CHOICES)
    .map(({ account_id, name }) => ({ value: account_id, label: name }));
  const newestHint = `The newest ${MAX_CHOICES}: ask an assistant for the others.`;
  return {
    audits: labelledChoices(audits, (day) => `, from ${day}`),
    frameworks: labelledChoices(frameworks, (version) => `, version ${version}`),
    owners: [...OWNER_CHOICES, ...otherChoices],
    truncationHints: {
      ...(audits.isCut ? { audit_id: newestHint } : {}),
      ...(frameworks.isCut ? { framework_id: newestHint } : {}),
      ...(otherMembers.length > otherChoices.length
        ? { owner_id: `The first ${MAX_CHOICES} by name: ask an assistant for the others.` }
        : {}),
    },
  };
}

/** Returns labelled choices. Archived ones come last and say so. */
function labelledChoices({ choices }: ChoiceList, qualifierText: (qualifier: string) => string): Choice[] {
  const labelOf = ({ name, qualifier, archived }: ChoiceList['choices'][number]) =>
    `${name}${qualifier === null ? '' : qualifierText(qualifier)}${archived ? ' (archived)' : ''}`;
  const sortedChoices = [...choices.filter(({ archived }) => !archived), ...choices.filter(({ archived }) => archived)];
  return sortedChoices.map((choice) => ({ value: choice.id, label: labelOf(choice) }));
}

/** Returns why a report with these fields cannot be generated yet, or null. */
export function missingRecordText(
  inputNames: readonly ReportInputName[],
  { audits, frameworks }: ReportFieldChoices,
): string | null {
  if (inputNames.includes('audit_id') && audits.length === 0)
    return 'No audit has been completed yet. Complete one to get its audit pack here.';
  if (inputNames.includes('framework_id') && frameworks.length === 0)
    return 'No framework has been adopted yet. Adopt one to get its statement here.';
  return null;
}

/** One field of a report's form. */
export function ReportField(props: {
  id: string;
  name: ReportInputName;
  required: boolean;
  choices: ReportFieldChoices;
}) {
  const { id, name, required, choices } = props;
  const commonProps = { form: BLANK_FORM, id, name, hint: choices.truncationHints[name] };
  if (name === 'audit_id') return <SelectField {...commonProps} label="Completed audit" choices={choices.audits} />;
  if (name === 'framework_id') return <SelectField {...commonProps} label="Framework" choices={choices.frameworks} />;
  if (name === 'owner_id') return <SelectField {...commonProps} label="Whose records" choices={choices.owners} />;
  if (name === 'trend') return <SelectField {...commonProps} label="Trend" choices={TREND_CHOICES} />;
  // The form has no field for these names. The trend then shows its six default figures.
  if (name === 'trend_figures') return null;
  return <TextField {...commonProps} label={DATE_LABELS[name] ?? name} type="date" required={required} />;
}
