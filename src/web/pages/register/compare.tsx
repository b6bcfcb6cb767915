/** @jsxRuntime automatic @jsxImportSource preact */
import {
  type AddressParameters,
  addressWith,
  organizationAddress,
  reportFileAddress,
} from '../../../addresses/page-addresses.ts';
import { requirePermission } from '../../../commands/organization/permissions.ts';
import { clientSignal } from '../../../http/request.ts';
import { type Comparison, compareMoments } from '../../../reports/comparison/compare-moments.ts';
import type { ReportFileRequest } from '../../../reports/report-request.ts';
import { TextField } from '../../components/fields.tsx';
import { ChangedFamily, MAX_RECORDS } from '../../register/comparison/changed-family.tsx';
import { comparisonSentence } from '../../register/comparison/comparison-sentence.ts';
import { type ComparedAddresses, FigureTable } from '../../register/comparison/figure-table.tsx';
import { quarterEnds } from '../../register/moments/quarter-ends.ts';
import {
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { BLANK_FORM } from '../../server/form-state.ts';
import { get, type Route } from '../../server/page-request.ts';
import { dayText } from '../../texts/dates.ts';

/** The quarters that the page offers to compare with the one before. */
const QUARTERS_OFFERED = 2;

/** Compares the register at two moments: figures with the records that moved them, and changed records by family. */
export const comparePage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/compare', async (request) => {
    const view = await openRegister(context, request);
    const { organization, caller, query } = view;
    requirePermission(caller, organization.id, 'generateReports');
    const addresses = { from: query.get('from') ?? '', until: query.get('until') || null };
    const page = { title: 'Compare', section: organizationAddress(organization.id, '/changes'), organization };
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
      {listed !== null && <CheckLink view={view} listed={listed} />}
      <MomentsForm view={view} addresses={addresses} />
      <FigureTable view={view} comparison={comparison} addresses={addresses} />
      {changes === 0 && <p>Nothing was changed between these moments.</p>}
      {listed === null && report !== null && (
        <p>
          The {changes} changes are too many for a page. <a href={reportAddress(report)}>The report has all of them</a>,
          with its digest.
        </p>
      )}
      {listed !== null && <ChangedFamilies view={view} listed={listed} addresses={addresses} />}
    </>
  );
}

/** Leads to the proof of the newest listed change. */
function CheckLink({ view, listed }: { view: RegisterView; listed: NonNullable<Comparison['listed']> }) {
  const positions = listed.families.flatMap(({ records }) =>
    records.flatMap(({ events }) => events.map(({ position }) => Number(position))),
  );
  if (positions.length === 0) return null;
  return (
    <p>
      <a href={registerAddress(view, `/changes/${Math.max(...positions)}`)}>Check the newest of these changes</a>
    </p>
  );
}

/** The changed records of the family that the address names, or the first ones of each family. */
function ChangedFamilies(props: {
  view: RegisterView;
  listed: NonNullable<Comparison['listed']>;
  addresses: ComparedAddresses;
}) {
  const { view, listed, addresses } = props;
  const fields = view.query.get('fields') === 'all' ? 'all' : null;
  const chosen = listed.families.find(({ family }) => family.plural === view.query.get('family'));
  const address = (parameters: AddressParameters) =>
    addressWith(view.path, { ...addresses, fields, family: chosen?.family.plural, ...parameters });
  return (
    <>
      <ul class="plain chips">
        <FieldsChip address={address({ fields: null })} isCurrent={fields === null} text="Only what matters" />
        <FieldsChip address={address({ fields: 'all' })} isCurrent={fields === 'all'} text="All fields" />
        {chosen !== undefined && (
          <li>
            <a href={address({ family: null })}>All families</a>
          </li>
        )}
      </ul>
      {(chosen === undefined ? listed.families : [chosen]).map((differences) => (
        <ChangedFamily
          key={differences.family.type}
          view={view}
          differences={differences}
          people={listed.people}
          allFields={fields === 'all'}
          maxRecords={chosen === undefined ? MAX_RECORDS.ofEach : MAX_RECORDS.ofOne}
          familyAddress={chosen === undefined ? address({ family: differences.family.plural }) : null}
        />
      ))}
    </>
  );
}

function FieldsChip({ address, isCurrent, text }: { address: string; isCurrent: boolean; text: string }) {
  return (
    <li>
      <a class="chip" href={address} aria-current={isCurrent ? 'true' : undefined}>
        {text}
      </a>
    </li>
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
    <>
      <form method="get" action={view.path} class="inline filters" aria-label="Moments">
        {field('from', 'From the end of', true)}
        {field('until', 'Until the end of', false)}
        <button type="submit">Compare</button>
      </form>
      <QuarterChips view={view} addresses={addresses} />
    </>
  );
}

/** Links that compare today, or the end of a quarter, with the end of the quarter before. */
function QuarterChips({ view, addresses }: { view: RegisterView; addresses: ComparedAddresses }) {
  const ends = quarterEnds(view.snapshot.today()).slice(0, QUARTERS_OFFERED + 1);
  const isSoFar = addresses.from === ends[0]!.day && addresses.until === null;
  return (
    <ul class="plain chips">
      <li>
        <a
          class="chip"
          href={addressWith(view.path, { from: ends[0]!.day })}
          aria-current={isSoFar ? 'true' : undefined}
        >
          This quarter so far
        </a>
      </li>
      {ends.slice(0, QUARTERS_OFFERED).map(({ day: until, quarter }, index) => {
        const from = ends[index + 1]!.day;
        const isShown = addresses.from === from && addresses.until === until;
        return (
          <li key={quarter}>
            <a class="chip" href={addressWith(view.path, { from, until })} aria-current={isShown ? 'true' : undefined}>
              {quarter} against the quarter before
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the address of the report with the same changes and digest. */
function reportAddress({ organization_id, type, from, to, as_of }: ReportFileRequest): string {
  return reportFileAddress(organization_id, type, { from, to, as_of, format: 'html' });
}
