import type { Caller } from '../../commands/organization/caller.ts';
import { logTimeOf, momentOf, requireAsOfPermission } from '../../queries/moments/moment.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';

/** A past moment that a page shows. */
export interface PastMoment {
  /** `as_of` in the page's address. */
  asOf: string;
  /** 0 is before the organization's first event. */
  position: number;
  /** The log time of that position, or the day asked for if nothing was recorded before it. */
  time: string;
  /** The name of the audit whose completion this is; null for other moments. */
  audit: string | null;
  /** The number of changes recorded after it. */
  changesSince: number;
}

/**
 * Reads the moment in a page's address. Returns null for today.
 * @throws Refusal forbidden if the caller may not read the past; invalid_input for the future or an invalid text
 */
export async function readPastMoment(
  snapshot: Snapshot,
  caller: Caller,
  organizationId: string,
  asOf: string | null,
): Promise<PastMoment | null> {
  if (asOf === null || asOf === '') return null;
  requireAsOfPermission(snapshot, caller, organizationId, asOf);
  const { position, today } = await momentOf(snapshot, organizationId, asOf);
  if (position === null) return null;
  const logTime = position === 0 ? null : await logTimeOf(snapshot, organizationId, position);
  return {
    asOf,
    position,
    time: logTime ?? today,
    audit: asOf.startsWith('aud_') ? await auditName(snapshot, asOf) : null,
    changesSince: snapshot.newestPosition(organizationId) - position,
  };
}

async function auditName({ models }: Snapshot, id: string): Promise<string> {
  const [audit] = await models.get('audits', [id]);
  return String(audit!.doc.name);
}
