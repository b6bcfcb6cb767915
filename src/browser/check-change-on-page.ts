import {
  CHANGE_FAULT_TEXTS,
  type ChangeCheck,
  type ChangeProof,
  checkChange,
  type ErasedPart,
  eventName,
} from '../queries/proofs/check-change.ts';
import { isSealEventType } from '../trail/seals/seal-events.ts';
import { changeLabel, changeTexts } from '../web/register/change-texts.ts';
import { nobleCrypto } from './noble-crypto.ts';

/** The outcome for a reader. Only `SEALED` is green. */
export interface PageCheckOutcome {
  result: 'SEALED' | 'UNSEALED' | 'REDACTED' | 'MISMATCH';
  /** Names the change, and the fault or the parts that differ. */
  text: string;
}

/**
 * Checks a change's proof, rebuilds the change from its events, and compares it with the texts that a page shows.
 * @param pageTexts texts by the name of their part; null to check the proof alone
 */
export function checkChangeOnPage(proof: ChangeProof, pageTexts: ReadonlyMap<string, string> | null): PageCheckOutcome {
  const check = checkChange(nobleCrypto, proof, new Date());
  const name = eventName(check.event);
  if (check.fault !== null) {
    return { result: 'MISMATCH', text: `Does not match. ${CHANGE_FAULT_TEXTS[check.fault]} (${name})` };
  }
  const differing = pageTexts === null ? [] : differingTexts(check, pageTexts);
  if (differing.length > 0) {
    const parts = differing.map((part) => partLabel(check, part)).join(', ');
    return {
      result: 'MISMATCH',
      text: `Does not match. This page shows something else than the event: ${parts}. (${name})`,
    };
  }
  const notice = check.outOfOrder === null ? '' : ` Recorded out of order: ${check.outOfOrder}.`;
  if (check.erased === 'DATA') return { result: 'REDACTED', text: REDACTED_TEXT + notice };
  if (check.erased === 'CHANGES') return { result: 'REDACTED', text: REDACTED_BEFORE_TEXT + notice };
  if (proof.proof === null) {
    // Only the seal after the next change covers a seal.
    const next = isSealEventType(check.change.event_type) ? 'the next seal covers it' : 'check again in a minute';
    return { result: 'UNSEALED', text: `The change follows from its event. No seal covers it yet: ${next}.${notice}` };
  }
  return { result: 'SEALED', text: `${SEALED_TEXT} (${name})${notice}` };
}

const SEALED_TEXT =
  'It matches. Who, when, why, before and after follow from the event, and a signed seal covers this event.';
const REDACTED_TEXT =
  'Redacted. The event’s data was erased together with its salt. Its place in the history still holds, but nobody can check what it said.';
const REDACTED_BEFORE_TEXT =
  'Redacted. Data of an earlier event was erased, so before and after can’t be rebuilt. The rest of this change matches.';

/** Returns the names of parts whose texts differ from those of the rebuilt change, as far as it can be rebuilt. */
function differingTexts({ change, erased }: ChangeCheck, pageTexts: ReadonlyMap<string, string>): string[] {
  const rebuilt = new Map(changeTexts(change).map(({ name, text }) => [name, text]));
  const isLink = change.linked !== undefined;
  const names = [...new Set([...rebuilt.keys(), ...pageTexts.keys()])];
  return names
    .filter((name) => !isUnknown(name, erased, isLink))
    .filter((name) => displayText(rebuilt.get(name)) !== displayText(pageTexts.get(name)));
}

/** Returns true for a part that can't be rebuilt: what was erased, and the names of linked records. */
function isUnknown(name: string, erased: ErasedPart, isLink: boolean): boolean {
  if (name === 'name') return isLink || erased !== null;
  const isChange = name.startsWith('changes.');
  if (erased === 'NAME') return name.startsWith('changes.name.');
  if (erased === 'CHANGES') return isChange;
  return erased === 'DATA' && (isChange || name === 'why' || name === 'effective');
}

/** Returns a text as pages show it: an empty part is left out, and HTML has only one kind of line break. */
const displayText = (text = ''): string => text.replace(/\r\n?/g, '\n');

const PART_LABELS: Readonly<Record<string, string>> = {
  what: 'what happened',
  record: 'the record',
  name: 'the record’s name',
  who: 'who',
  client: 'the client',
  when: 'when',
  effective: 'the effective date',
  why: 'the reason',
};

function partLabel({ change }: ChangeCheck, name: string): string {
  const [, field, side] = /^changes\.(.+)\.(from|to)$/.exec(name) ?? [];
  if (field === undefined) return PART_LABELS[name] ?? name;
  return `${changeLabel(change.record.type, field)} ${side === 'to' ? 'after' : 'before'}`;
}
