import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import { familyQueryOfType } from '../../../queries/family-query.ts';
import { countRecords, listRecords } from '../../../queries/lists/list-records.ts';
import { getRecords } from '../../../queries/records/get-records.ts';
import { NONCONFORMITY } from '../../../register/nonconformity.ts';
import { Facts, LongDay } from '../../components/components.tsx';
import type { WebContext } from '../../server/context.ts';
import { countText } from '../../texts/counts.ts';
import type { RecordRow } from '../field-content.tsx';
import { asOfInput, type RegisterCollaborators, type RegisterView, registerAddress } from '../open-register.ts';
import { States } from './record-heading.tsx';

const MAX_FINDINGS = 50;

/** An audit's scope and findings, besides its own fields. */
export interface AuditExamination {
  /** The full address of the audit's page, to send to an auditor. */
  address: string;
  audit: RecordRow;
  /** Null if the framework did not exist at the page's moment. */
  framework: RecordRow | null;
  findings: readonly RecordRow[];
  /** The number of all findings. */
  findingCount: number;
}

/** Reads an audit's framework and findings. Returns null for a record that is no audit. */
export async function readAuditExamination(
  { baseUrl, reader }: RegisterCollaborators & Pick<WebContext, 'baseUrl'>,
  view: RegisterView,
  audit: RecordRow,
): Promise<AuditExamination | null> {
  if (idPrefix(String(audit.id)) !== 'aud') return null;
  const input = { organization_id: view.organization.id, ...asOfInput(view) };
  const frameworkInput = { ...input, ids: [String(audit.framework_id)], include: ['ARCHIVED'] };
  const query = familyQueryOfType(NONCONFORMITY.type);
  const filter = { audit_id: [audit.id] };
  const order_by = { field: 'created_at', direction: 'DESC' } as const;
  const findingsInput = { ...input, filter, order_by, size: MAX_FINDINGS, view: 'FULL' } as const;
  const [frameworks, findings, { total }] = await Promise.all([
    getRecords(reader, view.caller, frameworkInput),
    listRecords(reader, query, 'listNonconformities', view.caller, findingsInput),
    countRecords(reader, query, 'listNonconformities', view.caller, findingsInput),
  ]);
  const { records } = frameworks as { records: RecordRow[] };
  const { nonconformities } = findings as { nonconformities: RecordRow[] };
  const address = baseUrl + organizationAddress(view.organization.id, `/audits/${audit.id}`);
  return { address, audit, framework: records[0] ?? null, findings: nonconformities, findingCount: total };
}

/** An audit's scope, its findings, and the way to the register as it was at the completion. */
export function ExaminationCard(props: { view: RegisterView; examination: AuditExamination }) {
  const { view } = props;
  const { audit, framework, findings, findingCount, address } = props.examination;
  return (
    <>
      <section class="card" aria-labelledby="scope">
        <h2 id="scope">Scope</h2>
        <Facts
          facts={[
            [
              'Framework',
              framework === null ? '–' : <FrameworkLink key="framework" view={view} framework={framework} />,
            ],
            ['Period', <Period key="period" audit={audit} />],
          ]}
        />
        <CompletionLinks view={view} audit={audit} />
        <Sharing view={view} address={address} />
      </section>
      <section class="card" aria-labelledby="findings">
        <h2 id="findings">
          Findings <span class="number">{countText(findingCount)}</span>
        </h2>
        {findings.length === 0 && <p class="muted">No finding names this audit.</p>}
        <ul class="plain linked">
          {findings.map((finding) => (
            <li key={String(finding.id)}>
              <a href={registerAddress(view, `/nonconformities/${finding.id}`)}>
                {familyQueryOfType(NONCONFORMITY.type).model.nameOf(finding)}
              </a>
              <span class="states">
                <States family={NONCONFORMITY} record={finding} />
              </span>
            </li>
          ))}
        </ul>
        {findingCount > findings.length && (
          <p>
            The newest {findings.length} are shown.{' '}
            <a href={registerAddress(view, '/nonconformities', { audit_id: String(audit.id) })}>
              All {countText(findingCount)} findings
            </a>
          </p>
        )}
      </section>
    </>
  );
}

function FrameworkLink({ view, framework }: { view: RegisterView; framework: RecordRow }) {
  return <a href={registerAddress(view, `/frameworks/${framework.id}`)}>{String(framework.name)}</a>;
}

function Period({ audit: { period_from, period_until } }: { audit: RecordRow }) {
  if (!period_from && !period_until) return <>All changes until the completion</>;
  return (
    <>
      {period_from ? <LongDay at={String(period_from)} /> : 'the beginning'} to{' '}
      {period_until ? <LongDay at={String(period_until)} /> : 'the completion'}
    </>
  );
}

/** Tells owners and admins how an auditor gets to see this page. */
function Sharing({ view: { organization, past }, address }: { view: RegisterView; address: string }) {
  if (past !== null || !roleAllows(organization.role, 'viewTokens')) return null;
  const invitation = organizationAddress(organization.id, '/members');
  return (
    <p class="muted">
      {roleAllows(organization.role, 'changeMembers') ? (
        <a href={`${invitation}#invite-title`}>Invite an auditor</a>
      ) : (
        'Ask an owner to invite the auditor'
      )}
      , then send them this address: <code>{address}</code>
    </p>
  );
}

/** Links to the register pinned to the completion, and to the pack for those who may have it. */
function CompletionLinks({ view, audit }: { view: RegisterView; audit: RecordRow }) {
  if (typeof audit.completed_position !== 'string') return <p class="muted">The audit is not completed yet.</p>;
  const as_of = String(audit.id);
  const controls = registerAddress(view, '/controls', { as_of, framework_id: String(audit.framework_id) });
  return (
    <ul class="plain">
      <li>
        <a href={controls}>The controls as of the completion</a>
      </li>
      <li>
        <a href={registerAddress(view, '', { as_of })}>The whole register as of the completion</a>
      </li>
      {roleAllows(view.organization.role, 'exportHistory') && (
        <li>
          <a href={organizationAddress(view.organization.id, `/audits/${audit.id}/pack`)}>Audit pack</a>
        </li>
      )}
    </ul>
  );
}
