import type { CallLoad } from './tool.ts';

/** With a smaller log, an organization has too few records and changes for a long scan. */
export const MIN_EVENTS_OF_SCAN = 2_000;

/** Presenting more records in full than this takes as long as a scan. */
const MAX_LIGHT_RECORDS = 25;

/** The documents of one record with its links, evidence or changes, about. */
const DOCUMENTS_WITH_INCLUDED = 5;

interface ListInput {
  filter?: object | undefined;
  view: string;
  size: number;
  as_of?: string | undefined;
}

/**
 * Returns how much a list may read. A page without a filter is read from its index, however many records there are. A count
 * reads all that match; the matches of a filter, or of an early moment, may be the last ones in the index.
 */
export function listLoad({ filter = {}, view, size, as_of }: ListInput, events: number): CallLoad {
  const isScan = view === 'COUNT' || as_of !== undefined || Object.keys(filter).length > 0;
  if (isScan && events >= MIN_EVENTS_OF_SCAN) return 'SCAN';
  return view === 'FULL' && size > MAX_LIGHT_RECORDS ? 'SCAN' : 'LIGHT';
}

/** Returns how much a read of records by id may read. Links, evidence and changes are several documents for each record. */
export function recordsLoad({
  ids,
  include = [],
}: {
  ids: readonly string[];
  include?: readonly string[] | undefined;
}) {
  const documents = ids.length * (include.length === 0 ? 1 : DOCUMENTS_WITH_INCLUDED);
  return documents > MAX_LIGHT_RECORDS ? 'SCAN' : 'LIGHT';
}
