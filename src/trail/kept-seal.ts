import { canonical } from './canonical.ts';
import type { PublicKey } from './key.ts';
import { isSigned, type LogSealed, readSealEvent } from './seal-events.ts';

export const KEPT_SEAL_FORMAT = 'veritrail-kept-seal-1';

/** A seal on its own, to be kept where nobody who can change the log can change it. */
export interface KeptSeal extends LogSealed {
  format: typeof KEPT_SEAL_FORMAT;
  organization_id: string;
}

/** A seal as the one line of a file. */
export function keptSealText(organization_id: string, seal: LogSealed): string {
  return `${canonical({ ...seal, format: KEPT_SEAL_FORMAT, organization_id })}\n`;
}

/**
 * Reads the seal of such a file, whatever stands behind its line.
 * @throws TypeError where it is none
 */
export function readKeptSeal(text: string): KeptSeal {
  const value = parseJsonLine(text.split('\n', 1)[0]!);
  const { format, organization_id, ...data } = value;
  const isKept =
    format === KEPT_SEAL_FORMAT && typeof organization_id === 'string' && readSealEvent('LogSealed', data) !== null;
  if (!isKept) throw new TypeError(`not of the format ${KEPT_SEAL_FORMAT}`);
  return value as unknown as KeptSeal;
}

/** What a line of such a file holds. @throws TypeError where that is not JSON */
export function parseJsonLine(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    throw new TypeError('not JSON');
  }
}

/** Whether one of these keys signed it. */
export function isKeptSealSigned(kept: KeptSeal, keys: readonly PublicKey[]): boolean {
  const { format: _format, organization_id, ...seal } = kept;
  const key = keys.find(({ key_id }) => key_id === seal.key_id);
  return key !== undefined && isSigned(organization_id, 'LogSealed', seal, seal.signature, key.key);
}
