import { dateOf } from '../../commands/engine/dates.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { logTimeOf } from '../../queries/moments/moment.ts';
import type { ReportContext, ReportRow } from '../report-type.ts';
import { readInBatches, recordsAt } from './records.ts';

const MAX_NAMED_AUDITS = 5;

/** Returns the refusal of a pack of an audit that isn't completed. It names the packs that exist, and an interim report. */
export async function unfinishedAudit(context: ReportContext, { framework_id }: ReportRow): Promise<Refusal> {
  const interim = `For an interim report, ask for STATEMENT_OF_APPLICABILITY with framework_id ${framework_id}`;
  return auditRefusal(context, `The audit was never completed, so it has no pack. ${interim}.`);
}

/** Returns the refusal of a pack without an audit. It names the packs that exist. */
export function missingAudit(context: ReportContext): Promise<Refusal> {
  return auditRefusal(context, 'audit_id is missing. Give the id of a completed audit.');
}

async function auditRefusal(context: ReportContext, message: string): Promise<Refusal> {
  const completed = await completedAudits(context);
  const names = completed.map(({ id, name, day }) => `${name} (${id}, completed ${day})`).join('; ');
  return new Refusal('invalid_input', message, {
    field: 'audit_id',
    allowed: completed.map(({ id }) => id),
    hint: completed.length === 0 ? 'No audit has been completed yet.' : `Completed audits: ${names}.`,
  });
}

/** Returns the completed audits that start last, with the day of their completion. */
async function completedAudits(context: ReportContext): Promise<{ id: string; name: string; day: string }[]> {
  const { snapshot, organizationId } = context;
  const audits: { id: string; name: string; day: string }[] = [];
  const source = recordsAt(context, familyQueryOfType('AUDIT'));
  for await (const rows of readInBatches(context, source, { key: 'starts_on', direction: 'DESC' })) {
    for (const { id, name, completed_position: position } of rows.map(({ doc }) => doc)) {
      if (typeof position !== 'string') continue;
      const time = await logTimeOf(snapshot, organizationId, Number(position));
      audits.push({ id: String(id), name: String(name), day: dateOf(time ?? '') });
      if (audits.length === MAX_NAMED_AUDITS) return audits;
    }
  }
  return audits;
}
