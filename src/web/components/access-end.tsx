import { z } from 'zod';
import { dateOf, endOfDay, endOfPeriod } from '../../commands/engine/dates.ts';
import type { Member } from '../../identity/memberships/members.ts';
import { type FormState, singleField } from '../server/form-state.ts';
import { dayText } from '../texts/dates.ts';
import { ExactTime } from './components.tsx';
import { TextField } from './fields.tsx';

/** The end of a member's access, in UTC. A date means the end of that day; null if left empty. */
export const ACCESS_END_FIELDS = {
  until: singleField(
    z
      .string()
      .trim()
      .transform((text, context) => {
        const end = text === '' ? null : endOfPeriod(text);
        if (text === '' || end !== null) return end;
        context.addIssue({ code: 'custom', message: 'Enter a date such as 2026-11-30, or leave it empty.' });
        return z.NEVER;
      }),
  ),
};

export function AccessEndField({ form, until = null }: { form: FormState; until?: string | null }) {
  return (
    <TextField
      form={form}
      name="until"
      label="Access until"
      type="date"
      hint="Optional. Access ends with this day (UTC), and so do tokens and assistants."
      required={false}
      value={until === null ? '' : dateOf(until)}
    />
  );
}

/** The end of an access in a table: `until 30 Nov 2026`, `Ended 30 Nov 2026` or `no end`. */
export function AccessEnd({ until, ended = false }: Pick<Member, 'until'> & { ended?: boolean }) {
  if (until === null) return <span class="muted">no end</span>;
  return (
    <>
      {ended ? 'Ended' : 'until'} <EndTime at={until} />
    </>
  );
}

/** An end in words: the day, with the time only if it is not the day's last moment. */
export function EndTime({ at }: { at: string }) {
  if (at !== endOfDay(dateOf(at))) return <ExactTime at={at} />;
  return (
    <time dateTime={at} data-local="date">
      {dayText(at)}
    </time>
  );
}
