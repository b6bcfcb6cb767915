import { isRealDate } from '../../../commands/engine/dates.ts';
import { reportParameters } from '../../../http/files/report-input.ts';
import type { Member } from '../../../identity/memberships/members.ts';
import { EVIDENCE } from '../../../register/evidence.ts';
import { FAMILY_DESCRIPTIONS } from '../../../register/families.ts';
import { type ChoiceList, MAX_CHOICES, type ReportChoices } from '../../../reports/report-choices.ts';
import type { Grouping, ReportInputName } from '../../../reports/report-type.ts';
import { REPORT_DUE_KINDS } from '../../../reports/sections/due-rows.ts';
import { type Choice, SelectField, TextField } from '../../components/fields.tsx';
import type { FormState } from '../../server/form-state.ts';
import { FilterFields } from '../list/filter-form.tsx';
import { listFilters } from '../list/list-filters.ts';
import { familyHeading, recordsLabel } from '../rail-links.ts';

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
const KIND_CHOICES: readonly Choice[] = [
  { value: '', label: 'All' },
  ...REPORT_DUE_KINDS.map((kind) => ({ value: kind.name, label: recordsLabel(kind) })),
];
const RECORD_TYPE_CHOICES: readonly Choice[] = [
  { value: '', label: 'All' },
  ...FAMILY_DESCRIPTIONS.map((family) => ({ value: family.type, label: familyHeading(family) })),
];
const GROUPING_LABELS = { OWNER: 'Owner', SEVERITY: 'Severity, with days to closure' };
export const DATE_LABELS = { until: 'Due by', from: 'From', to: 'To' };
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
    return 'No audit has been completed yet. When one is over, say to your assistant: “Mark our audit as completed.”';
  if (inputNames.includes('framework_id') && frameworks.length === 0)
    return 'No framework has been adopted yet. Say to your assistant: “Adopt ISO/IEC 27001 from veritrail’s library.”';
  return null;
}

/** One field of a report's form. A value that is no choice is offered too, so that the form never changes it. */
export function ReportField(props: {
  form: FormState;
  name: ReportInputName;
  required: boolean;
  choices: ReportFieldChoices;
  groupings: readonly Grouping[];
}) {
  const { form, name, required, choices, groupings } = props;
  const value = form.values.get(name)?.[0] ?? '';
  const commonProps = { form, name, hint: choices.truncationHints[name] };
  const offered = (list: readonly Choice[]) =>
    value === '' || list.some((choice) => choice.value === value) ? list : [...list, { value, label: value }];
  switch (name) {
    case 'audit_id':
      return <SelectField {...commonProps} label="Completed audit" choices={offered(choices.audits)} />;
    case 'framework_id':
      return <SelectField {...commonProps} label="Framework" choices={offered(choices.frameworks)} />;
    case 'owner_id':
      return <SelectField {...commonProps} label="Whose records" choices={offered(choices.owners)} />;
    case 'trend':
      return <SelectField {...commonProps} label="Trend" choices={offered(TREND_CHOICES)} />;
    case 'kinds':
      return <SelectField {...commonProps} label="What is due" choices={offered(KIND_CHOICES)} />;
    case 'record_types':
      return <SelectField {...commonProps} label="Changes of" choices={offered(RECORD_TYPE_CHOICES)} />;
    case 'group_by':
      return <SelectField {...commonProps} label="Group by" choices={offered(groupingChoices(groupings))} />;
    case 'trend_figures':
    case 'only':
      return value === '' ? null : <input type="hidden" name={name} value={value} />;
    case 'filter':
      return <EvidenceFilter form={form} />;
    case 'from':
    case 'to':
    case 'until':
      return <MomentField {...commonProps} label={DATE_LABELS[name]} required={required} />;
  }
}

/** The filters of the register of evidence that its report takes, besides the owner. */
function EvidenceFilter({ form }: { form: FormState }) {
  const names = reportParameters('EVIDENCE').filter((name) => name !== 'owner_id');
  const filters = listFilters(EVIDENCE, [], []).filter(({ name }) => names.includes(name));
  return (
    <>
      <TextField form={form} name="query" label="Words" required={false} />
      {filters.map((filter) =>
        filter.control.kind === 'date' ? (
          <MomentField key={filter.name} form={form} name={filter.name} label={filter.label} required={false} />
        ) : (
          <FilterFields key={filter.name} filter={filter} value={form.values.get(filter.name)} />
        ),
      )}
    </>
  );
}

function groupingChoices(groupings: readonly Grouping[]): Choice[] {
  return [{ value: '', label: 'Nothing' }, ...groupings.map((value) => ({ value, label: GROUPING_LABELS[value] }))];
}

/** A date. Addresses can hold other forms of a moment, such as an audit's id: those stand as text. */
export function MomentField(props: {
  form: FormState;
  name: string;
  id?: string;
  label: string;
  required: boolean;
  hint?: string | undefined;
}) {
  const value = props.form.values.get(props.name)?.[0] ?? '';
  return <TextField {...props} type={value === '' || isRealDate(value) ? 'date' : 'text'} />;
}
