import type { ColumnType, ReportingValue } from '../stores/reporting-store.ts';

/** Returns a value of a document as a cell of a column. */
export function toCell(type: ColumnType, value: unknown): ReportingValue {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'TEXT':
      return typeof value === 'string' ? value : JSON.stringify(value);
    case 'INTEGER':
    case 'REAL':
      return Number(value);
    case 'BOOLEAN':
      return Boolean(value);
    case 'DATE':
      return String(value).slice(0, 10);
    case 'TIMESTAMP':
      return toTime(String(value));
  }
}

/** Returns a time. A day without a time is its midnight in UTC. */
function toTime(text: string): string {
  return text.length === 10 ? `${text}T00:00:00.000Z` : text;
}
