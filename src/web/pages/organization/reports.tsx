import { reportSegment } from '../../../addresses/page-addresses.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import { type ReportName, reportPermission } from '../../../reports/all-reports.ts';
import { openRegister, type RegisterCollaborators, registerAddress } from '../../register/open-register.ts';
import { REPORT_DESCRIPTIONS, type ReportDescription } from '../../register/reports/report-descriptions.ts';
import { ReportPicture } from '../../register/reports/report-picture.tsx';
import { get, type Route } from '../../server/page-request.ts';

/** The gallery of reports: what each answers, and for whom. Its options are on a page of its own. */
export const reportsPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/reports', async (request) => {
    const view = await openRegister(context, request);
    const { organization } = view;
    const all = Object.entries(REPORT_DESCRIPTIONS) as [ReportName, ReportDescription][];
    const descriptions = all.filter(([type]) => roleAllows(organization.role, reportPermission(type)));
    return {
      title: 'Reports',
      section: `/organizations/${organization.id}/reports`,
      organization,
      moment: view,
      body: (
        <>
          <p class="sub">
            To read, to print or to send. For spreadsheets and programs, download the register’s{' '}
            <a href={registerAddress(view, '/files')}>files</a>.
          </p>
          <ul class="plain grid">
            {descriptions.map(([type, { title, question, audience }]) => (
              <li key={type} class="card">
                <ReportPicture type={type} />
                <h2>
                  <a href={registerAddress(view, `/reports/${reportSegment(type)}`)}>{title}</a>
                </h2>
                <p>{question}</p>
                <p class="muted">For {audience}.</p>
              </li>
            ))}
          </ul>
        </>
      ),
    };
  }),
];
