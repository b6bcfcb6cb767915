import { organizationAddress, reportFileAddress } from '../../../addresses/page-addresses.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { requirePermission } from '../../../commands/organization/permissions.ts';
import { notFound } from '../../../http/http-errors.ts';
import { clientSignal } from '../../../http/request.ts';
import { pinnedMoment } from '../../../queries/moments/moment.ts';
import { documentsAt } from '../../../queries/records/record-links.ts';
import type { ReportFileRequest } from '../../../reports/report-request.ts';
import type { ReportRow } from '../../../reports/report-type.ts';
import { readWholeReport, type WholeReport } from '../../../reports/whole-report.ts';
import { codeWords } from '../../../texts/words.ts';
import { Digest, LongDay, Table } from '../../components/components.tsx';
import { ExpiredChip } from '../../register/field-content.tsx';
import { sectionText, sectionTitle } from '../../register/list/control-groups.tsx';
import { sectionsOf } from '../../register/list/read-control-groups.ts';
import {
  asOfInput,
  openRegister,
  type RegisterCollaborators,
  type RegisterView,
  registerAddress,
} from '../../register/open-register.ts';
import { get, type Route } from '../../server/page-request.ts';

/** The formats in which a pack can be downloaded beside XLSX. */
const FURTHER_FORMATS = ['csv', 'json'] as const;

/** The audit pack on a page: its download and digest, then evidence by control, valid on the day of the completion. */
export const auditPackPage = (context: RegisterCollaborators): Route[] => [
  get('/organizations/:id/audits/:record/pack', async (request) => {
    const view = await openRegister(context, request);
    const { organization, caller } = view;
    requirePermission(caller, organization.id, 'exportHistory');
    const audit_id = request.params.record!;
    if (idPrefix(audit_id) !== 'aud') throw notFound('There is no such audit here.');
    const pack = { organization_id: organization.id, type: 'AUDIT_PACK', audit_id, ...asOfInput(view) } as const;
    const report = await readWholeReport(context.scanReaderOf(caller), caller, pack, clientSignal(request.ctx.res));
    const controls = await withReplaced(view, report);
    // An earlier completion has no other name than its position.
    const completion = view.past === null ? audit_id : report.head.position;
    return {
      title: report.head.title,
      section: organizationAddress(organization.id, '/audits'),
      organization,
      body: (
        <>
          <p class="sub">
            As completed on <LongDay at={report.head.today} />
          </p>
          <Downloads pack={pack} />
          <Digest of="this pack" digest={report.head.digest} />
          <p>
            <a href={registerAddress(view, `/audits/${audit_id}`)}>The audit</a> ·{' '}
            <a href={registerAddress(view, '/controls', { as_of: completion })}>The register as of the completion</a>
          </p>
          <EvidenceByControl
            controls={controls}
            addressOf={(path) => registerAddress(view, path, { as_of: completion })}
          />
        </>
      ),
    };
  }),
];

function Downloads({ pack: { organization_id, type, audit_id, as_of } }: { pack: ReportFileRequest }) {
  const address = (format: string) => reportFileAddress(organization_id, type, { audit_id, as_of, format });
  return (
    <p>
      <a class="button" href={address('xlsx')}>
        Download pack
      </a>{' '}
      as XLSX · also as{' '}
      {FURTHER_FORMATS.map((format) => (
        <span key={format}>
          <a href={address(format)}>{format.toUpperCase()}</a> ·{' '}
        </span>
      ))}
      <a href={address('html')}>Read or print the whole pack</a> ·{' '}
      <a href={organizationAddress(organization_id, '/verify')}>Verify the JSON file</a>
    </p>
  );
}

/** Returns the pack's controls. Expired evidence also says if newer evidence replaced it then, which is no part of a pack. */
async function withReplaced(
  { snapshot, organization }: RegisterView,
  { head, parts }: WholeReport,
): Promise<readonly ReportRow[]> {
  const controls = parts.find(({ section }) => section.name === 'controls')?.rows ?? [];
  const expired = controls.flatMap((row) => listOf(row, 'evidence')).filter((evidence) => evidence.expired === true);
  const moment = await pinnedMoment(snapshot, organization.id, String(head.position));
  const context = { snapshot, organizationId: organization.id, moment };
  const documents = await documentsAt(context, [...new Set(expired.map(({ id }) => String(id)))]);
  const replaced = new Set(documents.filter((document) => document.replaced).map(({ id }) => id));
  return controls.map((row) => ({
    ...row,
    evidence: listOf(row, 'evidence').map((evidence) => ({ ...evidence, replaced: replaced.has(evidence.id) })),
  }));
}

type AddressOf = (path: string) => string;

/** The controls of the audited framework by section, each with its measures and evidence on that day. */
function EvidenceByControl({ controls, addressOf }: { controls: readonly ReportRow[]; addressOf: AddressOf }) {
  return (
    <section aria-labelledby="controls">
      <h2 id="controls">Evidence by control, valid on that day</h2>
      {[...sectionsOf(controls)].map(([section, rows]) => (
        <details key={section}>
          <summary>
            <span>
              {sectionTitle(section, rows)} <small>{sectionText(rows)}</small>
            </span>
          </summary>
          <ControlTable caption={sectionTitle(section, rows)} controls={rows} addressOf={addressOf} />
        </details>
      ))}
    </section>
  );
}

function ControlTable(props: { caption: string; controls: readonly ReportRow[]; addressOf: AddressOf }) {
  const { caption, controls, addressOf } = props;
  return (
    <Table
      caption={caption}
      head={['Control', 'Status', 'Justification', 'Implementation', 'Measures', 'Evidence']}
      rows={controls.map((control) => ({
        key: String(control.id),
        cells: [
          <a key="control" href={addressOf(`/controls/${control.id}`)}>
            {String(control.section_title)} {String(control.name)}
          </a>,
          codeWords(String(control.status)),
          control.justification === undefined ? <span class="muted">–</span> : String(control.justification),
          control.status === 'EXCLUDED' ? <span class="muted">–</span> : codeWords(String(control.implementation)),
          <Records key="measures" plural="measures" records={listOf(control, 'measures')} addressOf={addressOf} />,
          <Records key="evidence" plural="evidence" records={listOf(control, 'evidence')} addressOf={addressOf} />,
        ],
      }))}
    />
  );
}

const listOf = (row: ReportRow, name: string) => (row[name] ?? []) as readonly ReportRow[];

function Records(props: { plural: string; records: readonly ReportRow[]; addressOf: AddressOf }) {
  const { plural, records, addressOf } = props;
  if (records.length === 0) return <span class="muted">–</span>;
  return (
    <ul class="plain">
      {records.map((record) => {
        const { id, reference_id, name, state, valid_until, expired } = record;
        return (
          <li key={String(id)}>
            <a href={addressOf(`/${plural}/${id}`)}>{[reference_id, name].filter(Boolean).join(' ')}</a>
            {state !== undefined && <small> {codeWords(String(state))}</small>}
            {expired === true && <ExpiredChip row={record} />}
            {typeof valid_until === 'string' && expired !== true && (
              <small>
                {' '}
                valid until <LongDay at={valid_until} />
              </small>
            )}
          </li>
        );
      })}
    </ul>
  );
}
