import { canonical } from '../canonical.ts';
import type { PublicKey } from './key.ts';
import { isSigned, type LogSealed, readSealEvent } from './seal-events.ts';

export const KEPT_SEAL_FORMAT = 'veritrail-kept-seal-1';

/** A seal to keep in a place that the log's operator can't change. */
export interface KeptSeal extends LogSealed {
  format: typeof KEPT_SEAL_FORMAT;
  organization_id: string;
}

/** Returns a seal as the line of a kept seal's file. */
export function keptSealText(organization_id: string, seal: LogSealed): string {
  return `${canonical({ ...seal, format: KEPT_SEAL_FORMAT, organization_id })}\n`;
}

/**
 * Reads the seal on a file's first line. Ignores the other lines.
 * @throws TypeError if the line isn't a kept seal
 */
export function readKeptSeal(text: string): KeptSeal {
  const value = parseJsonLine(text.split('\n', 1)[0]!);
  const { format, organization_id, ...data } = value;
  const isKept =
    format === KEPT_SEAL_FORMAT && typeof organization_id === 'string' && readSealEvent('LogSealed', data) !== null;
  if (!isKept) throw new TypeError(`not of the format ${KEPT_SEAL_FORMAT}`);
  return value as unknown as KeptSeal;
}

/** Returns the JSON value of a line. @throws TypeError if it isn't JSON */
export function parseJsonLine(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    throw new TypeError('not JSON');
  }
}

/** Returns true if one of these keys signed a kept seal. */
export function isKeptSealSigned(keptSeal: KeptSeal, keys: readonly PublicKey[]): boolean {
  const { format: _format, organization_id, ...seal } = keptSeal;
  const key = keys.find(({ key_id }) => key_id === seal.key_id);
  return key !== undefined && isSigned(organization_id, 'LogSealed', seal, seal.signature, key.key);
}
