import { addDays } from '../../commands/engine/dates.ts';
import { controlId } from '../../commands/engine/ids.ts';

/*
 * Each tool has an example input. In it {vendor} stands for the id of the record that addVendor's example adds,
 * {organization} for the organization, and {today} or {today+90} for a date. The reference and the OpenAPI document show
 * examples with made-up ids; the tests run them.
 */

/** An example input, with placeholders for ids and dates. */
export type Example = Readonly<Record<string, unknown>>;

/** The date of `{today}` in documents, and the letters of the ids there. */
export const EXAMPLE_TODAY = '2026-03-02';
const EXAMPLE_ID_LETTERS = '06E4S3HMYV1T7Q9ZC5K2XNR8WB';

const PLACEHOLDER = /^\{([a-z]+)(?:([+-]\d+))?\}$/;

/** Replaces an example's placeholders. `idOf` returns the id for a placeholder's name. */
export function fillExample(example: Example, idOf: (name: string) => string, today: string): Record<string, unknown> {
  return mapTexts(example, (text) => {
    const [, name, days = '0'] = PLACEHOLDER.exec(text) ?? [];
    if (name === undefined) return text;
    return name === 'today' ? addDays(today, Number(days)) : idOf(name);
  }) as Record<string, unknown>;
}

/** Returns the placeholders' names: the records that must exist before the example can run. */
export function placeholdersIn(example: Example): string[] {
  const names = new Set<string>();
  fillExample(
    example,
    (name) => {
      names.add(name);
      return name;
    },
    EXAMPLE_TODAY,
  );
  return [...names];
}

/** Returns an example with made-up ids, for documents. `prefixes` maps a placeholder's name to its id prefix. */
export function renderExample(example: Example, prefixes: ReadonlyMap<string, string>): Record<string, unknown> {
  return fillExample(example, (name) => exampleId(prefixes.get(name) ?? name), EXAMPLE_TODAY);
}

/** Returns a made-up id. A different `index` gives a different id. */
export function exampleId(prefix: string, index = 0): string {
  const letters = `${EXAMPLE_ID_LETTERS.slice(0, -1)}${EXAMPLE_ID_LETTERS.at(index - 1)}`;
  return prefix === 'ctl' ? controlId(`frm_${letters}`, index) : `${prefix}_${letters}`;
}

/** Returns a JSON value with each string replaced. */
export function mapTexts(value: unknown, replace: (text: string) => unknown): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, replace)]));
}
