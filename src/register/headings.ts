import { readFileSync } from 'node:fs';

/** By language, then by field: headings in lower case, the best first. */
export type HeadingsByLanguage = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Reads `headings/<name>.json`: of an importable family, by its singular, or of `every-family`. */
export function readHeadings(name: string): HeadingsByLanguage {
  return JSON.parse(readFileSync(new URL(`./headings/${name}.json`, import.meta.url), 'utf8')) as HeadingsByLanguage;
}

/**
 * Returns a function that lists the headings of a field's column in people's spreadsheets, besides the field's own name and
 * label.
 */
export function headingsOf({ singular }: { singular: string }): (field: string) => string[] {
  const languages = [singular, 'every-family'].flatMap((name) => Object.values(readHeadings(name)));
  return (field) => languages.flatMap((headings) => headings[field] ?? []);
}
