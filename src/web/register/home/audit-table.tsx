import { addressWith } from '../../../addresses/page-addresses.ts';
import { AUDIT } from '../../../register/audit.ts';
import { LongDay, Table } from '../../components/components.tsx';
import { changeCountText } from '../../texts/counts.ts';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { States } from '../record/record-heading.tsx';
import type { AuditSummary } from './read-audits.ts';

const NONE = <span class="muted">–</span>;

/** The audits, each with the changes from its completion until the moment shown, and its pack. */
export function AuditTable({ view, audits }: { view: RegisterView; audits: readonly AuditSummary[] }) {
  if (audits.length === 0) return <p>No audit is recorded yet.</p>;
  return (
    <div class="home-audits">
      <Table
        caption="Audits"
        head={[
          'Audit',
          'Framework',
          'Status',
          'Completed',
          view.past === null ? 'Changes since' : 'Changes until then',
          'Pack',
        ]}
        rows={audits.map((summary) => ({ key: String(summary.audit.id), cells: auditCells(view, summary) }))}
      />
      <a href={registerAddress(view, '/audits')}>All audits</a>
    </div>
  );
}

function auditCells(view: RegisterView, { audit, framework, completion }: AuditSummary) {
  const id = String(audit.id);
  const cells = [
    <a key="audit" href={registerAddress(view, `/audits/${id}`)}>
      {String(audit.name)}
    </a>,
    framework,
    <States key="state" family={AUDIT} record={audit} />,
  ];
  if (completion === null) return [...cells, NONE, NONE, NONE];
  const { at, changesSince } = completion;
  const organization = `/organizations/${view.organization.id}`;
  return [
    ...cells,
    <a key="completed" href={registerAddress(view, '', { as_of: id })} title="The register as of the completion">
      <LongDay at={at} />
    </a>,
    <a key="since" href={addressWith(`${organization}/compare`, { from: id, until: view.past?.asOf })}>
      {changeCountText(changesSince)} {view.past === null ? 'since' : 'until then'}
    </a>,
    <a key="pack" href={`${organization}/audits/${id}/pack`}>
      Audit pack
    </a>,
  ];
}
