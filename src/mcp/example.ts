import { addDays } from '../commands/dates.ts';
import { controlId } from '../commands/ids.ts';

/*
 * Worked examples are inputs in which a text such as {vendor} stands for the id of the record that the example of
 * addVendor makes, {organization} for the organization, and {today} or {today+90} for a date. The reference and the
 * OpenAPI document show them as they could look; the tests run them.
 */

/** An example's input, with what stands for ids and dates in it. */
export type Example = Readonly<Record<string, unknown>>;

/** The day that examples are shown as of, and letters that ids are shown with. */
export const SHOWN_TODAY = '2026-03-02';
const LETTERS = '06E4S3HMYV1T7Q9ZC5K2XNR8WB';

const PLACEHOLDER = /^\{([a-z]+)(?:([+-]\d+))?\}$/;

/** An example's input with ids and dates in their places. `idOf` knows the id that a name stands for. */
export function filled(example: Example, idOf: (name: string) => string, today: string): Record<string, unknown> {
  return mapTexts(example, (text) => {
    const [, name, days = '0'] = PLACEHOLDER.exec(text) ?? [];
    if (name === undefined) return text;
    return name === 'today' ? addDays(today, Number(days)) : idOf(name);
  }) as Record<string, unknown>;
}

/** Names of the records that must be there before an example can run. */
export function namesIn(example: Example): string[] {
  const names = new Set<string>();
  filled(
    example,
    (name) => {
      names.add(name);
      return name;
    },
    SHOWN_TODAY,
  );
  return [...names];
}

/** An example's input as it could look. `prefixes` are of ids, by what stands for them. */
export function shown(example: Example, prefixes: ReadonlyMap<string, string>): Record<string, unknown> {
  return filled(example, (name) => shownId(prefixes.get(name) ?? name), SHOWN_TODAY);
}

/** An id as it is shown: the `index`th of its kind. */
export function shownId(prefix: string, index = 0): string {
  const letters = `${LETTERS.slice(0, -1)}${LETTERS.at(index - 1)}`;
  return prefix === 'ctl' ? controlId(`frm_${letters}`, index) : `${prefix}_${letters}`;
}

/** A JSON value with its texts replaced. */
export function mapTexts(value: unknown, replace: (text: string) => unknown): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, replace)]));
}
