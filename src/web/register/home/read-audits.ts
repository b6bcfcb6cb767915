import { countChangesBetween } from '../../../queries/changes/count-changes.ts';
import { familyQueryOfType } from '../../../queries/family-query.ts';
import { readRecordPage } from '../../../queries/lists/list-records.ts';
import { logTimeOf } from '../../../queries/moments/moment.ts';
import type { Reader } from '../../../queries/moments/snapshot.ts';
import { getRecords } from '../../../queries/records/get-records.ts';
import { MAX_COUNT } from '../../texts/counts.ts';
import type { RecordRow } from '../field-content.tsx';
import { asOfInput, type RegisterView } from '../open-register.ts';

const MAX_AUDITS = 20;

/** An audit as an auditor's Home lists it. */
export interface AuditSummary {
  audit: RecordRow;
  framework: string;
  /** Null for an audit that was never completed. */
  completion: { at: string; changesSince: number } | null;
}

/** Reads the newest audits at the page's moment, with their frameworks and the number of changes since. */
export async function readAudits(reader: Reader, view: RegisterView): Promise<AuditSummary[]> {
  const { organization, snapshot, caller, past } = view;
  const input = { organization_id: organization.id, ...asOfInput(view) };
  const { records: audits } = await readRecordPage(reader, familyQueryOfType('AUDIT'), 'listAudits', caller, {
    ...input,
    order_by: { field: 'starts_on', direction: 'DESC' },
    size: MAX_AUDITS,
    view: 'FULL',
  });
  if (audits.length === 0) return [];
  const ids = [...new Set(audits.map(({ framework_id }) => String(framework_id)))];
  const answer = await getRecords(reader, caller, { ...input, ids, include: ['ARCHIVED'] });
  const { records: frameworks } = answer as { records: RecordRow[] };
  const names = new Map(frameworks.map(({ id, name }) => [id, String(name)]));
  const newest = past?.position ?? snapshot.newestPosition(organization.id);
  const completionAt = async (position: number) => {
    const at = await logTimeOf(snapshot, organization.id, position);
    if (at === null) return null;
    const period = [position, newest] as const;
    return { at, changesSince: await countChangesBetween(snapshot, organization.id, period, MAX_COUNT + 1) };
  };
  return Promise.all(
    audits.map(async (audit) => {
      const { framework_id, completed_position: position } = audit;
      const completion = typeof position === 'string' ? await completionAt(Number(position)) : null;
      return { audit, framework: names.get(framework_id) ?? '', completion };
    }),
  );
}
