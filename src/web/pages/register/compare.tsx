import type { VNode } from 'preact';
import {
  type AddressParameters,
  addressWith,
  organizationAddress,
  reportFileAddress,
} from '../../../addresses/page-addresses.ts';
import { readReportInput } from '../../../http/files/report-input.ts';
import { clientSignal } from '../../../http/request.ts';
import { readMemberNames } from '../../../queries/records/member-names.ts';
import { type Comparison, type ComparisonInput, compareMoments } from '../../../reports/comparison/compare-moments.ts';
import type { ReportFileRequest } from '../../../reports/report-request.ts';
import { Digest, LongDay } from '../../components/components.tsx';
import { ChangedFamily, MAX_RECORDS } from '../../register/comparison/changed-family.tsx';
import { type ComparedAddresses, comparedAddresses } from '../../register/comparison/compared-addresses.ts';
import { ComparisonForm } from '../../register/comparison/comparison-form.tsx';
import { ComparisonHeadline } from '../../register/comparison/comparison-headline.tsx';
import { FigureTable } from '../../register/comparison/figure-table.tsx';
import {
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { refusedInput } from '../../register/refused-input.ts';
import { get, type Route } from '../../server/page-request.ts';

const MOMENT_LABELS = { from: 'From', until: 'Until' };

/** Compares the register at two moments: figures with the records that moved them, and changed records by family. */
export const comparePage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/compare', async (request) => {
    const view = await openRegister(context, request);
    const { organization, caller, query } = view;
    const addresses = comparedAddresses(query);
    const members = await context.members.membersOf(organization.id);
    const page = { title: 'Compare', section: organizationAddress(organization.id, '/changes'), organization };
    const form = <ComparisonForm view={view} addresses={addresses} members={members} />;
    if (addresses.from === '') return { ...page, body: form };
    let comparison: Comparison;
    try {
      const input = readInput(organization.id, addresses);
      comparison = await compareMoments(context.scanReaderOf(caller), caller, input, clientSignal(request.ctx.res));
    } catch (thrown) {
      const refusal = refusedInput(thrown, MOMENT_LABELS);
      if (refusal === null) throw thrown;
      return { ...page, status: 400, body: <RefusedComparison refusal={refusal} form={form} /> };
    }
    const owner = await readOwnerName(view, comparison.ownerId);
    const props = { view, comparison, addresses, owner };
    return { ...page, body: <ComparisonBody {...props} form={form} /> };
  }),
];

/** Reads the moments and filters as the report CHANGES_BETWEEN would. @throws Refusal */
function readInput(organizationId: string, { from, until, ...filters }: ComparedAddresses): ComparisonInput {
  const query = new URLSearchParams(addressWith('', filters));
  const { record_types, owner_id } = readReportInput(organizationId, 'CHANGES_BETWEEN', query).input;
  return { organization_id: organizationId, from, until: until ?? undefined, record_types, owner_id };
}

async function readOwnerName({ snapshot, organization }: RegisterView, id: string | undefined): Promise<string | null> {
  return id === undefined ? null : (await readMemberNames(snapshot, organization.id, [id])).of(id);
}

function RefusedComparison({ refusal, form }: { refusal: string; form: VNode }) {
  return (
    <>
      <p class="notice warning" role="alert">
        {refusal}
      </p>
      {form}
    </>
  );
}

interface ComparisonProps {
  view: RegisterView;
  comparison: Comparison;
  addresses: ComparedAddresses;
  /** The name of the person whose records are compared; null for everyone's. */
  owner: string | null;
  form: VNode;
}

function ComparisonBody({ view, comparison, addresses, owner, form }: ComparisonProps) {
  const { before, after, listed, report, changes } = comparison;
  return (
    <>
      <p class="sub">
        <LongDay at={before.today} /> with {addresses.until === null ? 'today' : <LongDay at={after.today} />}
        {report !== null && (
          <>
            {' · '}
            <a href={reportAddress(report)}>as a report</a>
          </>
        )}
      </p>
      <ComparisonHeadline comparison={comparison} owner={owner} />
      {listed !== null && <CheckLink view={view} listed={listed} />}
      <details class="moments">
        <summary>Change the moments</summary>
        {form}
      </details>
      <FigureTable view={view} comparison={comparison} addresses={addresses} />
      {changes === 0 && (
        <p>{isFiltered(comparison) ? 'None of these records' : 'Nothing'} was changed between these moments.</p>
      )}
      {listed === null && report !== null && (
        <p>
          The {changes} changes are too many for a page. <a href={reportAddress(report)}>The report has all of them</a>,
          with its digest.
        </p>
      )}
      {listed !== null && <ChangedFamilies view={view} listed={listed} addresses={addresses} />}
      {listed !== null && <Digest of="these changes" digest={listed.digest} />}
    </>
  );
}

const isFiltered = ({ recordTypes, ownerId }: Comparison): boolean =>
  recordTypes !== undefined || ownerId !== undefined;

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
          until={addresses.until}
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

/** Returns the address of the report with the same changes and digest. */
function reportAddress({ organization_id, type, record_types, ...inputs }: ReportFileRequest): string {
  const { from, to, as_of, owner_id } = inputs;
  const filters = { record_types: record_types?.join(','), owner_id };
  return reportFileAddress(organization_id, type, { from, to, as_of, ...filters, format: 'html' });
}
