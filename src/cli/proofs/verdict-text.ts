import type {
  EventFault,
  ExportFault,
  ExtensionFault,
  KeyNote,
  SealFault,
  SealVerdict,
  Verdict,
} from '../../trail/check/verdict.ts';
import { placeInStream } from '../../trail/event.ts';
import { outOfOrderText } from '../../trail/recorded-order.ts';

const EVENT_FAULT_TEXTS: Record<EventFault['why'], string> = {
  ORDER: 'the line has another position, so a line before it is missing, repeated or moved',
  FOREIGN: 'it belongs to another organization',
  OUT_OF_ORDER: 'it is not the next event of its stream: an event before it was removed, inserted, repeated or moved',
  ALTERED: 'its contents do not match its hash: this event was altered',
  BROKEN_LINK: 'it does not chain to the event before it in its stream: that event was altered',
};

const SEAL_FAULT_TEXTS: Record<SealFault['why'], string> = {
  MALFORMED: 'it is not a valid seal or key',
  KEY: 'its key was not active at this position',
  SIGNATURE: 'its signature does not match: it was altered, or made without the key',
  PREVIOUS_SEAL: 'it does not follow the previous seal: one of them was altered, removed or inserted',
  SIZE: 'its size is wrong: it covers itself, or no more events than the previous seal. An event before it may be missing',
  ROOT: 'the events that it covers are not the ones that were sealed',
  NOT_GIVEN: 'none of the keys that you gave signed it or vouches for its key',
  KEPT: 'the events that it covers are not in this history',
};

const EXPORT_FAULT_TEXTS: Record<ExportFault['why'], string> = {
  CUT: 'The last line is missing: the file is truncated, or its compression is damaged.',
  HEAD: 'The last line does not match the number of events in the file or their root hash.',
  NO_SEAL: 'The file has no seal, so nothing proves its contents.',
  KEPT_BEYOND: 'The kept seal covers more events than the file has: the end was removed.',
  KEPT_KEY:
    'The kept seal belongs to another organization, was altered, or none of the keys that you gave signed it. So it says nothing about this history. If a newer key signed it, give that key too.',
};

const EXTENSION_FAULT_TEXTS: Record<ExtensionFault['why'], string> = {
  KEY: 'None of the keys that you gave signed the seal or vouches for its key, or the key had been replaced before.',
  SIGNATURE: 'The signature of the seal does not match: it was altered, or made without the key.',
  KEPT_KEY: `${EXPORT_FAULT_TEXTS.KEPT_KEY} Give the newer seal as FILE.`,
  KEPT_BEYOND:
    'The kept seal covers more events than this one. Give the newer seal as FILE; if it is, the end was removed.',
  NO_PROOF: 'The file has no proof since the kept seal. Write it with "veritrail seal --since" and that seal.',
  KEPT: 'The history of this seal does not begin with that of the kept seal, or the proof was altered.',
};

const KEY_ORIGIN_TEXTS: Record<KeyNote['how'], string> = {
  INTRODUCED: 'introduced',
  ROTATED: 'rotated, signed by the previous key',
  REPLACED: 'replaces a lost key; NO OTHER KEY VOUCHES FOR IT',
};

/** Returns the verdict on an export as text. */
export function verdictText(verdict: Verdict): string {
  const { header, events, streams, seals } = verdict;
  const rows: [string, string][] = [
    ['Organization', header.organization_id],
    ['Exported', `${header.exported_at}, as the file says: nothing proves this time`],
    ['Events', `${events} in ${streams} streams. Pages call the event at position 7 change 7`],
    ['Seals', `${seals.total}${seals.unchecked ? `, ${seals.unchecked} of them too far back to be checked` : ''}`],
    ...keyRows(verdict),
    ['Proved', provedText(verdict)],
    ['Unsealed', unsealedText(verdict)],
    ...redactionRows(verdict),
    ...outOfOrderRows(verdict),
  ];
  return verdictBlock(headlineOf(verdict), rows);
}

/** Returns the verdict on a seal without its history as text. */
export function sealVerdictText({ seal, kept_sizes: keptSizes, fault }: SealVerdict): string {
  const { organization_id, size, sealed_at, key_id } = seal;
  const rows: [string, string][] = [
    ['Organization', organization_id],
    ['Seal', `positions 1 to ${size}, sealed at ${sealed_at}, key ${key_id}`],
  ];
  if (fault !== null) {
    const keptSealRange = fault.size === null ? '' : ` The kept seal states positions 1 to ${fault.size}.`;
    return verdictBlock(`NOT VALID. ${EXTENSION_FAULT_TEXTS[fault.why]}${keptSealRange}`, [
      ...rows,
      ['Proved', 'nothing'],
    ]);
  }
  if (keptSizes.length === 0) {
    const hint =
      'only that it was signed. To prove what it covers, verify an export, or give a seal that you kept to "veritrail verify --seal"';
    return verdictBlock('VALID. The seal is signed with a key that you trust.', [...rows, ['Proved', hint]]);
  }
  const provenText = `positions 1 to ${Math.max(...keptSizes)} are the ones in the seal that you kept`;
  return verdictBlock('VALID. The history extends the seal that you kept.', [...rows, ['Proved', provenText]]);
}

/** Returns a verdict as a headline and a table. Escapes control characters, because texts may come from the file. */
export function verdictBlock(headline: string, rows: readonly [string, string][]): string {
  const table = rows.map(([name, text]) => `${name.padEnd(13)} ${escapeControls(text)}`).join('\n');
  return `${escapeControls(headline)}\n\n${table}`;
}

const MAX_LINE_LENGTH = 1_000;

/**
 * Escapes control characters in a line that may have text from the file. Otherwise a terminal could show another verdict.
 */
function escapeControls(text: string): string {
  const shortened = text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)} …` : text;
  return shortened.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** Returns the most significant fault as text, or null if there is none. */
function faultText({ event_fault, seal_fault, export_fault }: Verdict): string | null {
  if (event_fault !== null) return eventFaultText(event_fault);
  if (seal_fault !== null) return sealFaultText(seal_fault);
  return (
    export_fault && `${EXPORT_FAULT_TEXTS[export_fault.why]} The last event is at position ${export_fault.position}.`
  );
}

function headlineOf(verdict: Verdict): string {
  const fault = faultText(verdict);
  const { unchecked } = verdict.seals;
  if (fault === null && unchecked > 0) return `VALID, but ${unchecked} seals are too far back to be checked.`;
  if (fault === null) return 'VALID. All chains, seals and signatures match.';
  return `NOT VALID. ${fault}`;
}

function eventFaultText(fault: EventFault): string {
  const { why, position, line, event_id, type } = fault;
  return (
    `The first fault is at position ${position} (line ${line}): ${type} ${event_id}, ` +
    `${placeInStream(fault)}: ${EVENT_FAULT_TEXTS[why]}.`
  );
}

function sealFaultText({ why, position, key_id, from, until }: SealFault): string {
  const subject =
    position === null ? 'The kept seal does not match' : `The first seal with a fault is at position ${position}`;
  const key = key_id === null ? '' : ` (key ${key_id})`;
  const range =
    why === 'NOT_GIVEN'
      ? `No trusted key vouches for positions ${from} to ${until}`
      : `Look between positions ${from} and ${until}`;
  return `${subject}${key}: ${SEAL_FAULT_TEXTS[why]}. ${range}.`;
}

function provedText({ proved }: Verdict): string {
  if (proved === null) return 'nothing';
  const { size, sealed_at, position, key_id } = proved;
  const where = position === null ? 'kept elsewhere' : `at position ${position}`;
  return `positions 1 to ${size}, by the seal made at ${sealed_at} ${where}, key ${key_id}`;
}

function unsealedText({ unsealed, proved }: Verdict): string {
  if (unsealed === 0) return 'none';
  return `${unsealed} ${unsealed === 1 ? 'event' : 'events'}${proved === null ? '' : ` after position ${proved.size}`}, not proved yet`;
}

function keyRows({ keys }: Verdict): [string, string][] {
  const rows = keys.first.map(({ key_id, public_key, position, how, trusted }): [string, string] => [
    'Key',
    `${key_id}, since position ${position}: ${KEY_ORIGIN_TEXTS[how]}${trusted ? '' : '; not one of the keys that you gave'}; public key ${public_key}`,
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

function outOfOrderRows({ recorded_out_of_order: { events, runs, first } }: Verdict): [string, string][] {
  if (runs === 0) return [];
  const hint = 'a clock that was set back does the same as an event that somebody added. Ask who recorded them';
  const total = `${events} ${events === 1 ? 'event' : 'events'} in ${runs} ${runs === 1 ? 'place' : 'places'}: ${hint}`;
  return [...first.map((run): [string, string] => ['Out of order', outOfOrderText(run)]), ['Out of order', total]];
}
