import {
  CHANGE_FAULT_TEXTS,
  type ChangeCheck,
  type ChangeProof,
  checkChange,
  type ErasedPart,
  eventName,
} from '../../queries/proofs/check-change.ts';
import type { TrailCrypto } from '../../trail/crypto.ts';
import type { TrailEvent } from '../../trail/event.ts';
import type { SealAt } from '../../trail/seals/event-proof.ts';
import type { PublicKey } from '../../trail/seals/key.ts';
import { changeLabel, changeTexts } from '../../web/register/change-texts.ts';
import { verdictBlock } from './verdict-text.ts';

export interface ChangeVerdict {
  kind: 'CHANGE';
  /** True if a seal of a trusted key covers the change. Also true if its data was erased. */
  valid: boolean;
  organization_id: string;
  position: string;
  /** The event at fault, or else the change's own. */
  event: Pick<TrailEvent, 'id' | 'type' | 'stream' | 'revision'>;
  seal: Pick<SealAt, 'size' | 'sealed_at' | 'key_id'> | null;
  fault: NonNullable<ChangeCheck['fault']> | 'NO_SEAL' | null;
  erased: ErasedPart;
  /** Says that the change was recorded out of order, as far as its own events show it: a notice, not a fault. */
  out_of_order: string | null;
  /** The change as its events have it; null unless the verdict is valid. */
  change: ChangeCheck['change'] | null;
}

/** Verifies a change's saved proof. Trusts only the caller's keys, because anybody can sign with a key of their own. */
export function verifySavedChange(
  crypto: TrailCrypto,
  proof: ChangeProof,
  keys: readonly PublicKey[],
  now: Date,
): ChangeVerdict {
  const check = checkChange(crypto, { ...proof, keys: keys.map(({ text }) => text) }, now);
  const fault = check.fault ?? (proof.proof === null ? 'NO_SEAL' : null);
  const { id, type, stream, revision } = check.event;
  const { size, sealed_at, key_id } = proof.proof?.seal ?? {};
  const isSealed = size !== undefined && sealed_at !== undefined && key_id !== undefined;
  return {
    kind: 'CHANGE',
    valid: fault === null,
    organization_id: proof.organization_id,
    position: proof.position,
    event: { id, type, stream, revision },
    seal: isSealed ? { size, sealed_at, key_id } : null,
    fault,
    erased: check.erased,
    out_of_order: check.outOfOrder,
    change: fault === null ? check.change : null,
  };
}

/** Returns the verdict on a change as text. A valid one shows the change, because the file is not made to be read. */
export function changeVerdictText(verdict: ChangeVerdict): string {
  const { organization_id, position, event, seal, fault } = verdict;
  const eventText = eventName(event);
  const rows: [string, string][] = [
    ['Organization', organization_id],
    ['Change', `${position}, its position in the history`],
  ];
  if (fault !== null) {
    return verdictBlock(`NOT VALID. ${faultText(fault)} (${eventText})`, [...rows, ['Proved', 'nothing']]);
  }
  const sealText = seal === null ? '' : `the seal made at ${seal.sealed_at} over positions 1 to ${seal.size}`;
  return verdictBlock('VALID. A signed seal covers this change.', [
    ...rows,
    ['Event', `${eventText}, id ${event.id}`],
    ...changeRows(verdict),
    ['Proved', `${PROVED_TEXTS[verdict.erased ?? 'ALL']}, by ${sealText}, key ${seal?.key_id}`],
    ...(verdict.out_of_order === null ? [] : [['Out of order', verdict.out_of_order] as [string, string]]),
    ...(verdict.erased === null ? [] : [['Redacted', REDACTED_TEXTS[verdict.erased]] as [string, string]]),
  ]);
}

const PROVED_TEXTS: Readonly<Record<NonNullable<ErasedPart> | 'ALL', string>> = {
  ALL: 'who, when, why, before and after',
  NAME: 'who, when, why, before and after',
  CHANGES: 'who, when and why',
  DATA: 'who and when',
};

const REDACTED_TEXTS: Readonly<Record<NonNullable<ErasedPart>, string>> = {
  DATA: 'the data of this event. Nobody can check what it said',
  CHANGES: 'the data of an earlier event, so before and after can’t be rebuilt',
  NAME: 'the first event of the organization, which proofs never contain',
};

function faultText(fault: NonNullable<ChangeVerdict['fault']>): string {
  if (fault === 'KEY') return 'None of the keys that you gave signed the seal.';
  if (fault !== 'NO_SEAL') return CHANGE_FAULT_TEXTS[fault];
  return 'The proof has no seal, so nothing proves the change. If it was saved before a seal, save it again.';
}

const ROW_NAMES: Readonly<Record<string, string>> = {
  record: 'Record',
  name: 'Name',
  who: 'Who',
  client: 'With',
  when: 'When',
  effective: 'Effective',
  why: 'Why',
};

/** Returns the change's parts that could be rebuilt: who, when, why, and each field before and after. */
function changeRows({ change, erased }: ChangeVerdict): [string, string][] {
  if (change === null) return [];
  // Data that were erased, also of an earlier event, leave the record's name unknown.
  const parts = changeTexts(change).filter(({ name }) => erased === null || name !== 'name');
  const texts = new Map(parts.map(({ name, text }) => [name, text]));
  const rows = parts.flatMap(({ name, text }): [string, string][] =>
    ROW_NAMES[name] === undefined || text === '' ? [] : [[ROW_NAMES[name], text]],
  );
  if (erased === 'DATA' || erased === 'CHANGES') return rows;
  const knownChanges = change.changes.filter(({ field }) => erased !== 'NAME' || field !== 'name');
  const fields = knownChanges.map(({ field }): [string, string] => [
    'Changed',
    `${changeLabel(change.record.type, field)}: ${texts.get(`changes.${field}.from`)} → ${texts.get(`changes.${field}.to`)}`,
  ]);
  return [...rows, ...fields];
}
