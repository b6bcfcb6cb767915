/** @jsxRuntime automatic @jsxImportSource preact */
import type { Member } from '../identity/members.ts';
import { MOST_CHOICES, type Offered, type ReportChoices } from '../queries/report/choices.ts';
import type { Narrowing } from '../queries/report/report-type.ts';
import { type Choice, SelectField, TextField } from './fields.tsx';
import { BLANK } from './forms.ts';

/** What a report can be narrowed to, as selects offer it. */
export interface Offers {
  audits: readonly Choice[];
  frameworks: readonly Choice[];
  owners: readonly Choice[];
  /** Which of them are not all there are, and what to do about it. */
  cut: Partial<Record<Narrowing, string>>;
}

const DATES: Partial<Record<Narrowing, string>> = { until: 'Due until', from: 'From', to: 'To' };
const EVERYBODY: readonly Choice[] = [
  { value: '', label: 'everybody’s' },
  { value: 'ME', label: 'your own' },
];

/** @param me the account that chooses; members are offered by name, which is how they are looked for */
export function offersOf({ audits, frameworks }: ReportChoices, members: readonly Member[], me: string): Offers {
  const others = members
    .filter(({ account_id }) => account_id !== me)
    .sort((a, b) => a.name.localeCompare(b.name) || a.account_id.localeCompare(b.account_id));
  const named = others.slice(0, MOST_CHOICES).map(({ account_id, name }) => ({ value: account_id, label: name }));
  const newest = `The newest ${MOST_CHOICES}: an assistant draws it for others.`;
  return {
    audits: labelled(audits, (day) => `, from ${day}`),
    frameworks: labelled(frameworks, (version) => `, version ${version}`),
    owners: [...EVERYBODY, ...named],
    cut: {
      ...(audits.cut ? { audit_id: newest } : {}),
      ...(frameworks.cut ? { framework_id: newest } : {}),
      ...(others.length > named.length
        ? { owner_id: `The first ${MOST_CHOICES} by name: an assistant draws it for others.` }
        : {}),
    },
  };
}

/** Those that are archived come last, and say so. */
function labelled({ choices }: Offered, marked: (mark: string) => string): Choice[] {
  const label = ({ name, mark, archived }: Offered['choices'][number]) =>
    `${name}${mark === null ? '' : marked(mark)}${archived ? ' (archived)' : ''}`;
  const inOrder = [...choices.filter(({ archived }) => !archived), ...choices.filter(({ archived }) => archived)];
  return inOrder.map((choice) => ({ value: choice.id, label: label(choice) }));
}

/** Why a report that takes this cannot be drawn yet; null where it can. */
export function lackOf(takes: readonly Narrowing[], { audits, frameworks }: Offers): string | null {
  if (takes.includes('audit_id') && audits.length === 0)
    return 'No audit was completed yet: complete one, and its pack can be drawn here.';
  if (takes.includes('framework_id') && frameworks.length === 0)
    return 'No framework is adopted yet: adopt one, and its statement can be drawn here.';
  return null;
}

/** One input of a report's form. */
export function ReportField(props: { id: string; name: Narrowing; required: boolean; offers: Offers }) {
  const { id, name, required, offers } = props;
  const common = { form: BLANK, id, name, hint: offers.cut[name] };
  if (name === 'audit_id') return <SelectField {...common} label="Completed audit" choices={offers.audits} />;
  if (name === 'framework_id') return <SelectField {...common} label="Framework" choices={offers.frameworks} />;
  if (name === 'owner_id') return <SelectField {...common} label="Whose records" choices={offers.owners} />;
  return <TextField {...common} label={DATES[name] ?? name} type="date" required={required} />;
}
