/** @jsxRuntime automatic @jsxImportSource preact */
import { addressWith } from '../../../addresses/page-addresses.ts';
import { requirePermission } from '../../../commands/organization/permissions.ts';
import { clientSignal } from '../../../http/request.ts';
import { type Comparison, compareMoments } from '../../../reports/comparison/compare-moments.ts';
import type { ReportFileRequest } from '../../../reports/report-request.ts';
import { TextField } from '../../components/fields.tsx';
import { ChangedFamily } from '../../register/comparison/changed-family.tsx';
import { comparisonSentence } from '../../register/comparison/comparison-sentence.ts';
import { type ComparedAddresses, FigureTable } from '../../register/comparison/figure-table.tsx';
import { openRegister, type RegisterCollaborators, type RegisterView } from '../../register/open-register.ts';
import { BLANK_FORM } from '../../server/form-state.ts';
import { get, type Route } from '../../server/page-request.ts';
import { dayText } from '../../texts/dates.ts';

/** Compares the register at two moments: figures with the records that moved them, and changed records by family. */
export const comparePage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/compare', async (request) => {
    const view = await openRegister(context, request);
    const { organization, caller, query } = view;
    requirePermission(caller, organization.id, 'generateReports');
    const addresses = { from: query.get('from') ?? '', until: query.get('until') || null };
    const page = { title: 'Compare', section: `/organizations/${organization.id}/changes`, organization };
    if (addresses.from === '') return { ...page, body: <MomentsForm view={view} addresses={addresses} /> };
    const input = { organization_id: organization.id, from: addresses.from, until: addresses.until ?? undefined };
    const comparison = await compareMoments(context.reader, caller, input, clientSignal(request.ctx.res));
    return { ...page, body: <ComparisonBody view={view} comparison={comparison} addresses={addresses} /> };
  }),
];

interface ComparisonProps {
  view: RegisterView;
  comparison: Comparison;
  addresses: ComparedAddresses;
}

function ComparisonBody({ view, comparison, addresses }: ComparisonProps) {
  const { before, after, listed, report, changes } = comparison;
  const allFields = view.query.get('fields') === 'all';
  return (
    <>
      <p class="sub">
        {dayText(before.today)} with {addresses.until === null ? 'today' : dayText(after.today)}
        {listed !== null && (
          <>
            {' · digest '}
            <code>{listed.digest}</code>
          </>
        )}
        {report !== null && (
          <>
            {' · '}
            <a href={reportAddress(report)}>as a report</a>
          </>
        )}
      </p>
      <p class="lead">{comparisonSentence(comparison)}</p>
      <MomentsForm view={view} addresses={addresses} />
      <FigureTable view={view} comparison={comparison} addresses={addresses} />
      {changes === 0 && <p>Nothing was changed between these moments.</p>}
      {listed === null && report !== null && (
        <p>
          The {changes} changes are too many for a page. <a href={reportAddress(report)}>The report has all of them</a>,
          with its digest.
        </p>
      )}
      {listed !== null && (
        <>
          <FieldsChoice view={view} addresses={addresses} allFields={allFields} />
          {listed.families.map((differences) => (
            <ChangedFamily
              key={differences.family.type}
              view={view}
              differences={differences}
              people={listed.people}
              allFields={allFields}
            />
          ))}
        </>
      )}
    </>
  );
}

/** Chooses the two moments. Sent by GET, so that the address holds them. */
function MomentsForm({ view, addresses }: { view: RegisterView; addresses: ComparedAddresses }) {
  const field = (name: 'from' | 'until', label: string, required: boolean) => (
    <TextField
      form={BLANK_FORM}
      name={name}
      label={label}
      required={required}
      value={addresses[name] ?? ''}
      hint={required ? 'A date, a position, or an audit’s id' : 'Empty for today'}
    />
  );
  return (
    <form method="get" action={view.path} class="inline filters" aria-label="Moments">
      {field('from', 'From the end of', true)}
      {field('until', 'Until the end of', false)}
      <button type="submit">Compare</button>
    </form>
  );
}

function FieldsChoice(props: { view: RegisterView; addresses: ComparedAddresses; allFields: boolean }) {
  const { view, addresses, allFields } = props;
  const address = (fields: string | null) => addressWith(view.path, { ...addresses, fields });
  return (
    <ul class="plain chips">
      <li>
        <a class="chip" href={address(null)} aria-current={allFields ? undefined : 'true'}>
          Only what matters
        </a>
      </li>
      <li>
        <a class="chip" href={address('all')} aria-current={allFields ? 'true' : undefined}>
          All fields
        </a>
      </li>
    </ul>
  );
}

/** Returns the address of the report with the same changes and digest. */
function reportAddress({ organization_id, from, to, as_of }: ReportFileRequest): string {
  return addressWith(`/api/v1/organizations/${organization_id}/reports/changes-between`, {
    from,
    to,
    as_of,
    format: 'html',
  });
}
