/**
 * Returns the canonical form of a JSON value: RFC 8785 (JCS). Members are sorted by the UTF-16 code units of their names.
 * Numbers and strings are written as JSON.stringify writes them, and there is no white space.
 *
 * @throws TypeError for a value that JSON can't hold: undefined, functions, NaN, infinities, lone surrogates
 */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return canonicalString(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('canonical form: a number must be finite');
    return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object') return canonicalObject(value as Record<string, unknown>);
  throw new TypeError(`canonical form: ${typeof value} is not JSON`);
}

function canonicalObject(value: Record<string, unknown>): string {
  // Array.prototype.sort without a comparator compares UTF-16 code units, which is what RFC 8785 asks for.
  const names = Object.keys(value).sort();
  let text = '{';
  for (const name of names) {
    const member = value[name];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${canonicalString(name)}:${canonical(member)}`;
  }
  return `${text}}`;
}

/**
 * Returns true if all members are in canonical order and all texts are well-formed. JSON.stringify writes the canonical
 * form of such a value.
 */
export function isInCanonicalOrder(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'boolean';
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isInCanonicalOrder);
  let last = '';
  for (const name in value) {
    if (name < last || !name.isWellFormed() || !isInCanonicalOrder((value as Record<string, unknown>)[name]))
      return false;
    last = name;
  }
  return true;
}

/** Printable ASCII without quote and backslash. Such texts are written as they are, because escaping costs more. */
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

function canonicalString(value: string): string {
  if (NEEDS_NO_ESCAPE.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new TypeError('canonical form: a string must be well-formed Unicode');
  return JSON.stringify(value);
}
