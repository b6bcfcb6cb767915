import type { AccessLogChange } from '../../identity/access-log/access-log-reader.ts';
import { REPORTS, type ReportName } from '../../reports/all-reports.ts';

const FORMATS: Readonly<Record<string, string>> = {
  HTML: 'web page',
  MARKDOWN: 'Markdown',
  jsonl: 'JSON Lines',
  csv: 'CSV',
  xlsx: 'XLSX',
};

/** Texts for the filters of a report or an export file, in the order shown. */
const FILTER_TEXTS: readonly (readonly [field: string, words: (value: string) => string])[] = [
  ['framework_id', (id) => `framework ${id}`],
  ['audit_id', (id) => `audit ${id}`],
  ['owner_id', (name) => `records of ${name}`],
  ['until', (day) => `due by ${day}`],
  ['from', (moment) => `from ${moment}`],
  ['to', (moment) => `to ${moment}`],
  ['trend', () => 'trend by month'],
  ['trend_figures', (figures) => `trend of ${figures}`],
  ['only', (part) => `only the ${part.toLowerCase()}`],
  ['kinds', (kinds) => `only ${kinds}`],
  ['record_types', (types) => `only ${types}`],
  ['report_version', (version) => `with the data of version ${version}`],
  ['group_by', (field) => `by ${field.toLowerCase()}`],
  ['filter', (json) => `where ${filterWords(json)}`],
  ['after', (line) => `resumed after ${line}`],
];

/** Returns true for an entry about a report or an export file. */
export const isDownload = ({ event_type }: AccessLogChange): boolean =>
  event_type === 'REPORT_GENERATED' || event_type === 'EXPORT_DOWNLOADED';

/**
 * Describes the report or export file of an entry: its name, format, position and filters.
 * @param names people's names by account id; a person without a name keeps the id
 */
export function describeDownload({ actor, changes }: AccessLogChange, names: ReadonlyMap<string, string>): string[] {
  const fields = new Map(changes.map(({ field, to }) => [field, String(to)]));
  const [type, format, position] = ['type', 'format', 'position'].map((field) => fields.get(field));
  const filters = FILTER_TEXTS.flatMap(([field, describe]) => {
    const value = fields.get(field);
    return value === undefined ? [] : [describe(names.get(value) ?? value)];
  });
  return [
    ...(type === undefined ? [] : [titleOf(type)]),
    ...(format === undefined ? [] : [FORMATS[format] ?? format]),
    ...(position === undefined ? [] : [`change ${position}`]),
    ...filters,
    ...(fields.has('token_id') ? ['with a token'] : []),
    ...(fields.has('count') ? [`${fields.get('count')} times, ${scopeText(fields.get('scope'))}`] : []),
    ...(actor.kind === 'SYSTEM' ? ['with the command line'] : []),
  ];
}

/** Downloads after many of a day are counted, with no more than this about what they contained. */
const scopeText = (scope: string | undefined): string => (scope === 'PART' ? 'each with a filter' : 'all of it');

/** Returns a filter in words, such as "country NO or DE". A filter that was cut stays as it is. */
function filterWords(json: string): string {
  try {
    const filter = JSON.parse(json) as Record<string, unknown>;
    return Object.entries(filter)
      .map(([field, value]) => `${field.replaceAll('_', ' ')} ${[value].flat().map(valueWords).join(' or ')}`)
      .join(', ');
  } catch {
    return json;
  }
}

const valueWords = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the owners that reports among these entries were filtered by. */
export function downloadOwnerIds(rows: readonly AccessLogChange[]): string[] {
  const facts = rows.filter(isDownload).flatMap(({ changes }) => changes);
  return facts.filter(({ field }) => field === 'owner_id').map(({ to }) => String(to));
}

/** Returns a report's title, or the family's plural with a capital letter. */
function titleOf(type: string): string {
  if (Object.hasOwn(REPORTS, type)) return REPORTS[type as ReportName].title;
  return type.slice(0, 1).toUpperCase() + type.slice(1);
}
