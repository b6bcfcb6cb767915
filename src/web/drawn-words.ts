import type { AccessLogChange } from '../queries/list-access-log.ts';
import { REPORTS, type ReportName } from '../queries/report/types.ts';

const FORMATS: Readonly<Record<string, string>> = {
  HTML: 'page to print',
  MARKDOWN: 'Markdown',
  jsonl: 'JSON Lines',
  csv: 'CSV',
};

/** What narrowed a report or a file, in the order in which it is told. */
const NARROWED: readonly (readonly [field: string, words: (value: string) => string])[] = [
  ['framework_id', (id) => `framework ${id}`],
  ['audit_id', (id) => `audit ${id}`],
  ['owner_id', (who) => `records of ${who}`],
  ['until', (day) => `due until ${day}`],
  ['from', (moment) => `from ${moment}`],
  ['to', (moment) => `to ${moment}`],
  ['filter', (json) => `where ${json}`],
  ['after', (line) => `gone on with behind ${line}`],
];

/** Whether a row tells of a report or a file that was drawn. */
export const isDrawn = ({ event_type }: AccessLogChange): boolean =>
  event_type === 'REPORT_DRAWN' || event_type === 'EXPORT_DRAWN';

/**
 * What was drawn, in words: which report or family, in which format, of which position, and what narrowed it.
 * @param names people by their accounts' ids; whoever is in none of them keeps the id
 */
export function drawnWords({ changes }: AccessLogChange, names: ReadonlyMap<string, string>): string[] {
  const told = new Map(changes.map(({ field, to }) => [field, String(to)]));
  const [type, format, position] = ['type', 'format', 'position'].map((field) => told.get(field));
  const narrowed = NARROWED.flatMap(([field, words]) => {
    const value = told.get(field);
    return value === undefined ? [] : [words(names.get(value) ?? value)];
  });
  return [
    ...(type === undefined ? [] : [titleOf(type)]),
    ...(format === undefined ? [] : [FORMATS[format] ?? format]),
    ...(position === undefined ? [] : [`position ${position}`]),
    ...narrowed,
    ...(told.has('token_id') ? ['with a token'] : []),
  ];
}

/** Whose records reports of these rows were narrowed to. */
export function ownersIn(rows: readonly AccessLogChange[]): string[] {
  const facts = rows.filter(isDrawn).flatMap(({ changes }) => changes);
  return facts.filter(({ field }) => field === 'owner_id').map(({ to }) => String(to));
}

/** A report by its title, a file by the family's plural. */
function titleOf(type: string): string {
  if (Object.hasOwn(REPORTS, type)) return REPORTS[type as ReportName].title;
  return type.slice(0, 1).toUpperCase() + type.slice(1);
}
