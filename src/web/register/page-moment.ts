import { endOfPeriod } from '../../commands/engine/dates.ts';
import { countChangesBetween } from '../../queries/changes/count-changes.ts';
import { logTimeOf, momentHint, momentOf } from '../../queries/moments/moment.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import { MAX_COUNT } from '../texts/counts.ts';
import { dayText } from '../texts/dates.ts';

export interface PastMoment {
  /** `as_of` in the page's address. */
  asOf: string;
  /** 0 is before the organization's first event. */
  position: number;
  /** The day or time asked for. For an audit and a position, the log time of that position. */
  time: string;
  /** The name of the audit whose completion this is; null for other moments. */
  audit: string | null;
  /** Says that it is before the first event, or on a day after the last one. Else null. */
  hint: string | null;
  /** The number of changes recorded after it, without seals. */
  changesSince: number;
  /** The number of all events after it. Seals are events too, and have positions. */
  eventsSince: number;
}

/** A minute as a browser's field sends it. */
const MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

/**
 * Reads the moment in a page's address. Returns null for today.
 * @throws Refusal invalid_input for the future or an invalid text
 */
export async function readPastMoment(
  snapshot: Snapshot,
  organizationId: string,
  text: string | null,
): Promise<PastMoment | null> {
  if (text === null || text === '') return null;
  const asOf = MINUTE.test(text) ? endOfMinute(text, snapshot.now()) : text;
  if (asOf === snapshot.today()) return null;
  const moment = await momentOf(snapshot, organizationId, asOf);
  const { position, today } = moment;
  if (position === null) return null;
  const isTime = endOfPeriod(asOf) !== null;
  const logTime = isTime ? asOf : await logTimeOf(snapshot, organizationId, Math.max(1, position));
  return {
    asOf,
    position,
    time: logTime ?? today,
    audit: asOf.startsWith('aud_') ? await auditName(snapshot, asOf) : null,
    hint: inPageWords(await momentHint({ snapshot, organizationId, moment })),
    changesSince: await countChangesSince(snapshot, organizationId, position),
    eventsSince: snapshot.newestPosition(organizationId) - position,
  };
}

/** Returns a tool's sentence with its days and positions as pages write them. */
function inPageWords(hint: string | null): string | null {
  return hint?.replace(/\d{4}-\d\d-\d\d/g, dayText).replace('position', 'change') ?? null;
}

/** Counts the changes after a position, as far as pages count. */
function countChangesSince(snapshot: Snapshot, organizationId: string, position: number): Promise<number> {
  const period = [position, snapshot.newestPosition(organizationId)] as const;
  return countChangesBetween(snapshot, organizationId, period, MAX_COUNT + 1);
}

/** Returns the end of a minute that a field sent without its zone, which is UTC; now for the minute that hasn't ended. */
function endOfMinute(text: string, now: Date): string {
  const end = `${text}:59.999Z`;
  return text === now.toISOString().slice(0, text.length) ? now.toISOString() : end;
}

async function auditName({ models }: Snapshot, id: string): Promise<string> {
  const [audit] = await models.get('audits', [id]);
  return String(audit!.doc.name);
}
