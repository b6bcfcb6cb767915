import type { Caller } from '../../../commands/organization/caller.ts';
import { familyQueryOfType } from '../../../queries/family-query.ts';
import { readRecordPage } from '../../../queries/lists/list-records.ts';
import { logTimeOf } from '../../../queries/moments/moment.ts';
import type { Reader } from '../../../queries/moments/snapshot.ts';

/** Audits that a page offers as moments. */
const MAX_AUDITS = 20;

/** An audit that was completed. Its id is a moment: that of its completion. */
export interface CompletedAudit {
  id: string;
  name: string;
  kind: string | null;
  /** The log time of its completion. */
  completedAt: string;
}

/** Reads the completed audits among the newest ones, the last completion first. */
export async function readCompletedAudits(
  reader: Reader,
  caller: Caller,
  organizationId: string,
): Promise<CompletedAudit[]> {
  const { records } = await readRecordPage(reader, familyQueryOfType('AUDIT'), 'listAudits', caller, {
    organization_id: organizationId,
    order_by: { field: 'starts_on', direction: 'DESC' },
    size: MAX_AUDITS,
    view: 'FULL',
  });
  const snapshot = reader.snapshot();
  const audits = await Promise.all(
    records.map(async ({ id, name, kind, completed_position }): Promise<CompletedAudit | null> => {
      if (typeof completed_position !== 'string') return null;
      const completedAt = await logTimeOf(snapshot, organizationId, Number(completed_position));
      if (completedAt === null) return null;
      return { id: String(id), name: String(name), kind: (kind ?? null) as string | null, completedAt };
    }),
  );
  return audits
    .filter((audit) => audit !== null)
    .toSorted((a, b) => (a.completedAt < b.completedAt ? 1 : a.completedAt > b.completedAt ? -1 : 0));
}
