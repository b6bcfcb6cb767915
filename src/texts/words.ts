/* Words and figures as people read them, the same on pages, in reports and in files. */

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;
const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** Returns `In treatment` for IN_TREATMENT, `Records linked` for RecordsLinked, `Owner` for owner_id. */
export function codeWords(code: string): string {
  const words = (CODE.test(code) ? code : code.replace(/(?<=[a-z])(?=[A-Z])/g, '_')).toLowerCase();
  const plain = words.replace(/_id$/, '').replaceAll('_', ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** Replaces the enumeration values in one of our own sentences by words. */
export function codesAsWords(sentence: string): string {
  return sentence.replace(/\b[A-Z][A-Z_]{2,}\b/g, (code) => code.toLowerCase().replaceAll('_', ' '));
}

/** Returns a timestamp to the minute, such as `2026-08-21 08:16`, and any other text as it is. */
export function instantText(text: string): string {
  return text.replace(INSTANT, '$1 $2');
}

/** Returns a share as text in per cent. */
export function shareText(share: number): string {
  return `${percentText(share)} %`;
}

/** Returns a number of months in words. */
export function monthsText(months: number): string {
  return months === 1 ? '1 month' : `${months} months`;
}

/** Formats a share in per cent. Avoids "-0.0". */
export function percentText(share: number): string {
  const text = (share * 100).toFixed(1);
  return Number(text) === 0 ? '0.0' : text;
}
