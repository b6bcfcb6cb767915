/** @jsxRuntime automatic @jsxImportSource preact */
import { REPORT_TYPES, REPORTS, type ReportName } from '../../queries/report/types.ts';
import type { WebContext } from '../context.ts';
import { SelectField, TextField } from '../fields.tsx';
import { BLANK } from '../forms.ts';
import { lackOf, type Offers, offersOf, ReportField } from '../report-fields.tsx';
import { get, type Route } from '../visit.ts';
import { within } from '../within.ts';

const FORMATS = [
  { value: 'html', label: 'Page to print' },
  { value: 'pdf', label: 'PDF' },
  { value: 'csv', label: 'CSV for spreadsheets' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'json', label: 'JSON' },
];

/** Reports as files, now or as of a day: for AUDITORs and up. */
export const reportsPage = (context: WebContext): Route[] => [
  get('/organizations/:id/reports', async (visit) => {
    const { organization, path } = await within(context, visit, 'getReport');
    const me = visit.person.account.id;
    const choices = await context.reportChoices(await context.members.callerOf(me), organization.id);
    const offers = offersOf(choices, await context.members.membersOf(organization.id), me);
    const formats = FORMATS.filter(({ value }) => value !== 'pdf' || context.canPrintPdf());
    const here = `/api/v1/organizations/${organization.id}/reports`;
    return {
      title: 'Reports',
      section: `${path}/reports`,
      organization,
      body: (
        <>
          <p>
            Each report is drawn when you ask for it, of today unless you name a day, and is noted in the access log.
            Its digest is the same whenever the same position is asked for again.
          </p>
          <p>
            Whole registers and the history, to work on with programs, are <a href={`${path}/files`}>files</a> of their
            own.
          </p>
          {REPORT_TYPES.map((type) => (
            <ReportForm key={type} here={here} type={type} offers={offers} formats={formats} />
          ))}
        </>
      ),
    };
  }),
];

interface ReportFormProps {
  here: string;
  type: ReportName;
  offers: Offers;
  formats: typeof FORMATS;
}

/** Sent by GET: nothing is changed by it, so it needs no token. */
function ReportForm({ here, type, offers, formats }: ReportFormProps) {
  const { title, takes, needs = {} } = REPORTS[type];
  const name = type.toLowerCase().replaceAll('_', '-');
  const lack = lackOf(takes, offers);
  return (
    <section>
      <h2 id={name}>{title}</h2>
      {lack !== null ? (
        <p class="muted">{lack}</p>
      ) : (
        <form method="get" action={`${here}/${name}`} class="inline card" aria-labelledby={name}>
          {takes.map((input) => (
            <ReportField key={input} id={`${name}-${input}`} name={input} required={input in needs} offers={offers} />
          ))}
          <TextField form={BLANK} id={`${name}-as_of`} name="as_of" label="As of" type="date" required={false} />
          <SelectField form={BLANK} id={`${name}-format`} name="format" label="Format" choices={formats} />
          <button type="submit" aria-label={`Draw: ${title}`}>
            Draw
          </button>
        </form>
      )}
    </section>
  );
}
