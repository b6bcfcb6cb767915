/** @jsxRuntime automatic @jsxImportSource preact */
import { REPORT_TYPES, REPORTS, type ReportName } from '../../../reports/all-reports.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import {
  missingRecordText,
  ReportField,
  type ReportFieldChoices,
  reportFieldChoices,
} from '../../components/report-fields.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM } from '../../server/form-state.ts';
import { get, type Route } from '../../server/page-request.ts';
import { requireMembership } from '../../server/require-membership.ts';

const FORMATS = [
  { value: 'html', label: 'Web page (HTML)' },
  { value: 'pdf', label: 'PDF' },
  { value: 'csv', label: 'CSV for spreadsheets' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'json', label: 'JSON' },
];

/** Reports, of today or a past day, for auditors and above. */
export const reportsPage = (context: Pick<WebContext, 'members' | 'reportChoices' | 'canPrintPdf'>): Route[] => [
  get('/organizations/:id/reports', async (request) => {
    const { organization, path } = await requireMembership(context, request, 'generateReports');
    const me = request.person.account.id;
    const choices = await context.reportChoices(await context.members.callerOf(me), organization.id);
    const fieldChoices = reportFieldChoices(choices, await context.members.membersOf(organization.id), me);
    const formats = FORMATS.filter(({ value }) => value !== 'pdf' || context.canPrintPdf());
    const reportsPath = `/api/v1/organizations/${organization.id}/reports`;
    return {
      title: 'Reports',
      section: `${path}/reports`,
      organization,
      body: (
        <>
          <p>
            Reports are generated on demand and show today’s data unless you pick a date. Each download is logged. The
            same data always gives the same digest.
          </p>
          <p>
            To work with the whole register and its history in other programs, download the{' '}
            <a href={`${path}/files`}>files</a>.
          </p>
          {REPORT_TYPES.map((type) => (
            <ReportForm key={type} path={reportsPath} type={type} choices={fieldChoices} formats={formats} />
          ))}
        </>
      ),
    };
  }),
];

interface ReportFormProps {
  path: string;
  type: ReportName;
  choices: ReportFieldChoices;
  formats: typeof FORMATS;
}

/** Sent by GET: it changes nothing, so it needs no CSRF token. */
function ReportForm({ path, type, choices, formats }: ReportFormProps) {
  const { title, acceptedInputs, requiredInputs = {} } = REPORTS[type];
  const name = type.toLowerCase().replaceAll('_', '-');
  const missingRecord = missingRecordText(acceptedInputs, choices);
  return (
    <section>
      <h2 id={name}>{title}</h2>
      {missingRecord !== null ? (
        <p class="muted">{missingRecord}</p>
      ) : (
        <form method="get" action={`${path}/${name}`} class="inline card" aria-labelledby={name}>
          {acceptedInputs.map((input) => (
            <ReportField
              key={input}
              id={`${name}-${input}`}
              name={input}
              required={input in requiredInputs}
              choices={choices}
            />
          ))}
          <TextField form={BLANK_FORM} id={`${name}-as_of`} name="as_of" label="As of" type="date" required={false} />
          <SelectField form={BLANK_FORM} id={`${name}-format`} name="format" label="Format" choices={formats} />
          <button type="submit" aria-label={`Open: ${title}`}>
            Open
          </button>
        </form>
      )}
    </section>
  );
}
