import { type AddressParameters, reportFileAddress, reportSegment } from '../../../addresses/page-addresses.ts';
import { Refusal } from '../../../commands/engine/refusal.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import { filledParameters } from '../../../http/files/file-query.ts';
import { readReportInput, reportParameters } from '../../../http/files/report-input.ts';
import { notFound } from '../../../http/http-errors.ts';
import { REPORT_TYPES, REPORTS, type ReportName, reportPermission } from '../../../reports/all-reports.ts';
import { checkReport } from '../../../reports/report.ts';
import type { ReportInputName } from '../../../reports/report-type.ts';
import { MomentTime } from '../../components/components.tsx';
import { FormError } from '../../components/fields.tsx';
import {
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { withLabel } from '../../register/refused-input.ts';
import { REPORT_DESCRIPTIONS } from '../../register/reports/report-descriptions.ts';
import {
  DATE_LABELS,
  MomentField,
  missingRecordText,
  ReportField,
  type ReportFieldChoices,
  reportFieldChoices,
} from '../../register/reports/report-fields.tsx';
import { ReportPicture } from '../../register/reports/report-picture.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, formWithRefusal } from '../../server/form-state.ts';
import { get, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { requireMembership } from '../../server/require-membership.ts';

type Collaborators = RegisterCollaborators & Pick<WebContext, 'reportChoices' | 'canPrintPdf'>;

/** The file formats that can be downloaded. The page opens the web page. */
const DOWNLOADS = [
  ['pdf', 'PDF'],
  ['xlsx', 'XLSX'],
  ['csv', 'CSV'],
  ['markdown', 'Markdown'],
  ['json', 'JSON'],
] as const;

/** The form's labels of its days and moment. */
const LABELS = { ...DATE_LABELS, as_of: 'As of' };

/** The bar's field for the page's moment has the id `as_of`. */
const AS_OF_ID = { as_of: 'report-as_of' };

/**
 * The options of one report. The address holds them, so a filled form can be sent to a colleague. With `format` it leads to
 * the report's file, or back to the form with what is wrong.
 */
export const reportPage = (context: Collaborators): Route[] => [
  get('/organizations/:id/reports/:type', async (request) => {
    const type = REPORT_TYPES.find((name) => reportSegment(name) === request.params.type);
    if (type === undefined) throw notFound('There is no such report. Choose one from the list of reports.');
    const { organization } = await requireMembership(context, request, reportPermission(type));
    const refusal = request.query.has('format') ? await refusalOf(context, request, type) : null;
    if (refusal === null && request.query.has('format')) {
      return redirect(reportFileAddress(organization.id, type, parametersOf(request.query)));
    }
    return optionsPage(context, request, type, refusal);
  }),
];

function parametersOf(query: URLSearchParams): AddressParameters {
  const filled = filledParameters(query);
  return Object.fromEntries([...filled.keys()].map((name) => [name, filled.getAll(name)]));
}

/** Returns why a report with these inputs can't be generated, or null. */
async function refusalOf(context: Collaborators, request: SignedInRequest, type: ReportName): Promise<Refusal | null> {
  try {
    const caller = await context.members.callerOf(request.person.account.id);
    const { input } = readReportInput(request.params.id!, type, request.query);
    await checkReport(context.scanReaderOf(caller), caller, input);
    return null;
  } catch (error) {
    if (error instanceof Refusal && ['invalid_input', 'not_found'].includes(error.code)) return error;
    throw error;
  }
}

async function optionsPage(
  context: Collaborators,
  request: SignedInRequest,
  type: ReportName,
  refusal: Refusal | null,
) {
  const view = await openRegister(context, refusal?.more.field === 'as_of' ? withoutMoment(request) : request);
  const { organization, caller } = view;
  const members = await context.members.membersOf(organization.id);
  const choices = reportFieldChoices(await context.reportChoices(caller, organization.id), members, caller.account_id);
  const { title, question, audience } = REPORT_DESCRIPTIONS[type];
  const form = formOf(request.query, type, refusal);
  const missingRecord = missingRecordText(REPORTS[type].acceptedInputs, choices);
  const formats = DOWNLOADS.filter(([format]) => format !== 'pdf' || context.canPrintPdf());
  return {
    title,
    section: `/organizations/${organization.id}/reports`,
    organization,
    moment: view,
    form,
    body: (
      <>
        <div class="report-about">
          <ReportPicture type={type} />
          <div>
            <p>{question}</p>
            <p class="muted">
              For {audience}. <a href={registerAddress(view, '/reports')}>All reports</a>
            </p>
          </div>
        </div>
        {missingRecord !== null ? (
          <p class="empty">
            {missingRecord}{' '}
            {roleAllows(organization.role, 'changeRecords') && (
              <a href={registerAddress(view, '/getting-started')}>Getting started</a>
            )}
          </p>
        ) : (
          <OptionsForm view={view} type={type} form={form} choices={choices} downloads={formats} />
        )}
        <p class="sub">Each report is recorded in the access log. The same data always gives the same digest.</p>
      </>
    ),
  };
}

/** Returns the request for today's page: the moment in its address is what is wrong. */
function withoutMoment(request: SignedInRequest): SignedInRequest {
  const query = new URLSearchParams(request.query);
  query.delete('as_of');
  return { ...request, query };
}

function formOf(query: URLSearchParams, type: ReportName, refusal: Refusal | null): FormState {
  const fields = [...reportParameters(type), 'as_of'];
  const values = new Map(fields.filter((name) => query.has(name)).map((name) => [name, query.getAll(name)] as const));
  return refusal === null ? { ...BLANK_FORM, values } : formWithRefusal(withLabel(refusal, LABELS), values, fields);
}

interface OptionsFormProps {
  view: RegisterView;
  type: ReportName;
  form: FormState;
  choices: ReportFieldChoices;
  downloads: readonly (readonly [format: string, title: string])[];
}

/** An earlier version is only for whoever has its digest, and types it into the address. */
const isChosenHere = (input: ReportInputName): boolean => input !== 'report_version';

/** Sent by GET: it changes nothing, so it needs no CSRF token. */
function OptionsForm({ view, type, form, choices, downloads }: OptionsFormProps) {
  const { acceptedInputs, requiredInputs = {}, groupings = [] } = REPORTS[type];
  const download = type === 'AUDIT_PACK' ? 'Download pack' : 'Download';
  return (
    <form method="get" action={view.path} class="card report-options">
      <FormError form={form} ids={AS_OF_ID} />
      <div class="inline grid">
        {acceptedInputs.filter(isChosenHere).map((input) => (
          <ReportField
            key={input}
            name={input}
            form={form}
            required={input in requiredInputs}
            choices={choices}
            groupings={groupings}
          />
        ))}
        <MomentOption view={view} type={type} form={form} />
      </div>
      <div class="row">
        <button type="submit" name="format" value="html">
          Open
        </button>
        <span>{download}:</span>
        {downloads.map(([format, title]) => (
          <button
            key={format}
            type="submit"
            name="format"
            value={format}
            class="quiet"
            aria-label={`${download} as ${title}`}
          >
            {title}
          </button>
        ))}
      </div>
    </form>
  );
}

/** The report's moment: the one that the page shows, or on today's page a day to choose. A pack is of its audit's completion. */
function MomentOption({ view: { past }, type, form }: Pick<OptionsFormProps, 'view' | 'type' | 'form'>) {
  if (past === null && type === 'AUDIT_PACK') return null;
  if (past === null) {
    return (
      <MomentField form={form} name="as_of" id={AS_OF_ID.as_of} label="As of (today, if empty)" required={false} />
    );
  }
  return (
    <p class="field">
      <input type="hidden" name="as_of" value={past.asOf} />
      <b>As of</b>
      <br />
      {past.audit === null ? '' : `${past.audit}, `}
      <MomentTime at={past.time} />
    </p>
  );
}
