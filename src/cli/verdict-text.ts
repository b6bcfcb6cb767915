import type { EventFault, ExportFault, ExtensionFault, SealFault, SealVerdict, Verdict } from '../trail/verdict.ts';

const EVENT_FAULT_TEXTS: Record<EventFault['why'], string> = {
  ORDER: 'the line says another position: a line before it is missing, doubled or moved',
  FOREIGN: 'it is of another organization',
  OUT_OF_ORDER: 'it is not the next of its stream: an event before it was dropped, put in, doubled or moved',
  ALTERED: 'what it says is not what its own hashes and id are of: it was altered',
  BROKEN_LINK: 'it does not follow the event before it in its stream: that one was altered',
};

const SEAL_FAULT_TEXTS: Record<SealFault['why'], string> = {
  MALFORMED: 'it is no seal, or no key, of this format',
  KEY: 'it is of a key that is not in force there',
  SIGNATURE: 'its signature is not of its key: it was altered, or made without the key',
  PREVIOUS_SEAL: 'it does not follow the seal before it: one was altered, dropped or put in',
  SIZE: 'it covers no more than the seal before it, or itself',
  ROOT: 'the events that it covers are not those that were sealed',
  NOT_GIVEN: 'it is signed with a key that you did not give, and that none you gave vouches for',
  KEPT: 'the events that it covers are not those of this history',
};

const EXPORT_FAULT_TEXTS: Record<ExportFault['why'], string> = {
  CUT: 'The last line is missing: the file was cut.',
  HEAD: 'The last line counts other events than there are.',
  NO_SEAL: 'There is no seal, so nothing proves what the file says.',
  KEPT_BEYOND: 'The seal that was kept covers more events than there are: the end was dropped.',
  KEPT_KEY: 'The seal that was kept is of another organization, or not signed with a key that you gave.',
};

const EXTENSION_FAULT_TEXTS: Record<ExtensionFault['why'], string> = {
  KEY: 'The seal is of a key that you did not give and that none you gave vouches for, or of one that was replaced before.',
  SIGNATURE: 'The seal is not signed with its key: it was altered, or made without the key.',
  KEPT_KEY: EXPORT_FAULT_TEXTS.KEPT_KEY,
  KEPT_BEYOND:
    'The seal that was kept covers more events than this one: give the newer one as FILE, or the end was dropped.',
  NO_PROOF: 'The file has no proof since the seal that was kept: have it written by "veritrail seal --since" that one.',
  KEPT: 'The history of this seal does not begin with that of the seal that was kept, or the proof was altered.',
};

/** What came out of a verification, for people. */
export function verdictText(verdict: Verdict): string {
  const { header, events, streams, seals } = verdict;
  const rows: [string, string][] = [
    ['Organization', header.organization_id],
    ['Exported', header.exported_at],
    ['Events', `${events} in ${streams} streams`],
    ['Seals', `${seals.total}${seals.unchecked ? `, of which ${seals.unchecked} too far behind to be checked` : ''}`],
    ...keyRows(verdict),
    ['Proved', provedText(verdict)],
    ['Not sealed', unsealedText(verdict)],
    ...redactionRows(verdict),
  ];
  return verdictBlock(headline(verdict), rows);
}

/** The same of a seal without its history. */
export function sealVerdictText({ seal, kept, fault }: SealVerdict): string {
  const { organization_id, size, sealed_at, key_id } = seal;
  const rows: [string, string][] = [
    ['Organization', organization_id],
    ['Seal', `over positions 1 to ${size}, of ${sealed_at}, key ${key_id}`],
  ];
  if (fault !== null) {
    const which = fault.size === null ? '' : ` That one covers positions 1 to ${fault.size}.`;
    return verdictBlock(`NOT VALID. ${EXTENSION_FAULT_TEXTS[fault.why]}${which}`, [...rows, ['Proved', 'nothing']]);
  }
  if (kept.length === 0) {
    const hint = 'that it was signed, not what it covers: give a seal that you kept (--seal), or verify an export';
    return verdictBlock('VALID. The seal is signed with a key that you trust.', [...rows, ['Proved', hint]]);
  }
  const proved = `positions 1 to ${Math.max(...kept)} are what they were in the seal that you kept`;
  return verdictBlock('VALID. The history goes on from the seal that you kept.', [...rows, ['Proved', proved]]);
}

function verdictBlock(headline: string, rows: readonly [string, string][]): string {
  const table = rows.map(([name, text]) => `${name.padEnd(13)} ${escapeControls(text)}`).join('\n');
  return `${escapeControls(headline)}\n\n${table}`;
}

const MAX_LINE_LENGTH = 1_000;

/**
 * A line that may hold what a file says, which may be anything: no control of a terminal and no other writing direction
 * may make another verdict of it.
 */
function escapeControls(text: string): string {
  const shown = text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)} …` : text;
  return shown.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** What does not fit, the most telling first; null where all does. */
function faultText({ event_fault, seal_fault, export_fault: whole_fault }: Verdict): string | null {
  if (event_fault !== null) return eventFaultText(event_fault);
  if (seal_fault !== null) return sealFaultText(seal_fault);
  return whole_fault && `${EXPORT_FAULT_TEXTS[whole_fault.why]} The last event is at position ${whole_fault.position}.`;
}

function headline(verdict: Verdict): string {
  const fault = faultText(verdict);
  const { unchecked } = verdict.seals;
  if (fault === null && unchecked > 0) return `VALID, but ${unchecked} seals are too far behind to be checked.`;
  if (fault === null) return 'VALID. Every chain, seal and signature holds.';
  return `NOT VALID. ${fault}`;
}

function eventFaultText({ why, position, line, event_id, type, stream, revision }: EventFault): string {
  return (
    `The first event that does not fit is at position ${position} (line ${line}): ${type} ${event_id}, ` +
    `revision ${revision} of ${stream}: ${EVENT_FAULT_TEXTS[why]}.`
  );
}

function sealFaultText({ why, position, key_id, from, until }: SealFault): string {
  const what =
    position === null
      ? 'The seal that was kept does not fit'
      : `The first seal that does not fit is at position ${position}`;
  const key = key_id === null ? '' : ` (key ${key_id})`;
  const range =
    why === 'NOT_GIVEN'
      ? `Nobody vouches for positions ${from} to ${until}`
      : `Look between positions ${from} and ${until}`;
  return `${what}${key}: ${SEAL_FAULT_TEXTS[why]}. ${range}.`;
}

function provedText({ proved }: Verdict): string {
  if (proved === null) return 'nothing';
  const { size, sealed_at, position, key_id } = proved;
  const where = position === null ? 'kept elsewhere' : `at position ${position}`;
  return `positions 1 to ${size}, by the seal of ${sealed_at} ${where}, key ${key_id}`;
}

function unsealedText({ unsealed, proved }: Verdict): string {
  if (unsealed === 0) return 'nothing';
  return `${unsealed} ${unsealed === 1 ? 'event' : 'events'}${proved === null ? '' : ` after position ${proved.size}`}: nothing proves them yet`;
}

function keyRows({ keys }: Verdict): [string, string][] {
  const HOW = {
    INTRODUCED: 'introduced',
    ROTATED: 'took over with the consent of the key before it',
    REPLACED: 'REPLACED A LOST KEY: nobody but itself vouches for that',
  };
  const rows = keys.first.map(({ key_id, position, how, trusted }): [string, string] => [
    'Key',
    `${key_id}, ${HOW[how]} at position ${position}${trusted ? '' : '; not one that you gave'}`,
  ]);
  return keys.total > rows.length ? [...rows, ['Keys', `${keys.total} in all`]] : rows;
}

function redactionRows({ redactions }: Verdict): [string, string][] {
  const rows = redactions.first.map(({ position, event_id, type }): [string, string] => [
    'Redacted',
    `the data of ${type} ${event_id} at position ${position}`,
  ]);
  return redactions.total > rows.length ? [...rows, ['Redacted', `${redactions.total} events in all`]] : rows;
}
