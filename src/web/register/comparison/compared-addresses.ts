import { sentMoment } from '../moments/moment-select.tsx';

/** A comparison as its address gives it. */
export interface ComparedAddresses {
  from: string;
  /** Null for today. */
  until: string | null;
  /** Types of records, with commas. Null for all. */
  record_types: string | null;
  /** The account, ME, or the name of the person whose records are compared. Null for everyone's. */
  owner_id: string | null;
}

/** Reads the moments and filters in a comparison's address. `from` is empty if it has none. */
export function comparedAddresses(query: URLSearchParams): ComparedAddresses {
  const filled = (name: string) => query.get(name) || null;
  return {
    from: sentMoment(query, 'from'),
    until: sentMoment(query, 'until') || null,
    record_types: query.getAll('record_types').filter(Boolean).join(',') || null,
    owner_id: filled('owner_id'),
  };
}
