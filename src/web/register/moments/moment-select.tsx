import { endOfPeriod } from '../../../commands/engine/dates.ts';
import { type Choice, SelectField, TextField } from '../../components/fields.tsx';
import { BLANK_FORM } from '../../server/form-state.ts';
import { dayText, isDay, momentText } from '../../texts/dates.ts';
import type { MomentChoice } from './moment-choice.ts';
import { quarterEnds } from './quarter-ends.ts';

/** The parameter with the day that is typed beside the list of moments. */
const dayParameter = (name: string): string => `${name}_day`;

/** Returns the moment that a form with a `MomentSelect` sent: the typed day, or else the listed moment. Empty for none. */
export function sentMoment(query: URLSearchParams, name: string): string {
  return query.get(dayParameter(name)) || query.get(name) || '';
}

interface MomentSelectProps {
  name: string;
  label: string;
  /** The chosen moment, as `as_of` takes it; empty for none. */
  value: string;
  /** The words for no moment, such as "Today". */
  none: string;
  choice: Pick<MomentChoice, 'audits' | 'today'>;
  /** Moments that stand before audits and quarters, such as a record's changes. */
  first?: readonly Choice[];
}

/** Chooses a moment: from a list of audits and quarters' ends, or a day beside it. */
export function MomentSelect({ name, label, value, none, choice, first = [] }: MomentSelectProps) {
  const audits = choice.audits.map(auditChoice);
  const quarters = quarterEnds(choice.today).map(({ day, quarter }) => ({
    ...dayChoice(day),
    label: `${quarter}, until ${dayText(day)}`,
  }));
  const listed = [...first, ...audits, ...quarters];
  const isListed = value === '' || listed.some((candidate) => candidate.value === value);
  const choices = [{ value: '', label: none }, ...(isListed ? [] : [momentChoice(value, choice)]), ...listed];
  const day = { name: dayParameter(name), type: 'date', required: false } as const;
  return (
    <div class="row">
      <SelectField form={BLANK_FORM} name={name} label={label} choices={choices} value={value} />
      <TextField form={BLANK_FORM} {...day} label="or the end of a day" />
    </div>
  );
}

const auditChoice = ({ id, name, completedAt }: MomentChoice['audits'][number]): Choice => ({
  ...dayChoice(completedAt.slice(0, 10)),
  value: id,
  label: `${name}, ${dayText(completedAt)}`,
});

const dayChoice = (day: string): Choice => ({ value: day, label: dayText(day), at: day });

/** Returns a moment in words. A moment that can't be read stays as it was typed. */
export function momentChoice(asOf: string, { audits }: Pick<MomentChoice, 'audits'>): Choice {
  if (isDay(asOf)) return dayChoice(asOf);
  if (/^\d+$/.test(asOf)) return { value: asOf, label: `After change ${asOf}` };
  const at = endOfPeriod(asOf);
  if (at !== null) return { value: asOf, label: momentText(at), at };
  const audit = audits.find(({ id }) => id === asOf);
  if (audit !== undefined) return auditChoice(audit);
  return { value: asOf, label: asOf.startsWith('aud_') ? 'Another audit' : asOf };
}
