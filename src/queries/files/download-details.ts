import { cutText } from '../../projections/read-models/search-text.ts';

/** A generated report or a downloaded file, as its access-log entry describes it. */
export interface DownloadDetails {
  organization_id: string;
  /** A report's type. For a file, the family's plural or `changes`. */
  type: string;
  format: string;
  position: string;
  /** A report's inputs, as the caller gave them. */
  framework_id?: string;
  audit_id?: string;
  owner_id?: string;
  until?: string;
  from?: string;
  to?: string;
  trend?: string;
  trend_figures?: string;
  only?: string;
  kinds?: string;
  record_types?: string;
  group_by?: string;
  report_version?: string;
  /** A file's filter as JSON. Absent for a file of all records. */
  filter?: string;
  /** The id of the last line that the caller already has, for a resumed download. */
  after?: string;
}

/** Longer filters are cut to this many characters. */
const MAX_FILTER_LENGTH = 500;

/** Returns a file's filter as the access log stores it. Returns an empty object for an empty filter. */
export function filterDetail(filter: unknown): Pick<DownloadDetails, 'filter'> {
  const text = JSON.stringify(filter);
  return text === '{}' ? {} : { filter: cutText(text, MAX_FILTER_LENGTH) };
}
