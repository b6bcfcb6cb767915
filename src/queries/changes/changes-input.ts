/** The input of listChanges: asks for changes of records, or for the access log alone. */
export interface ChangesInput {
  organization_id: string;
  filter?:
    | {
        record_id?: string[] | undefined;
        record_types?: string[] | undefined;
        actor_id?: string[] | undefined;
        call_id?: string | undefined;
        event_types?: string[] | undefined;
        field?: string | undefined;
        from?: string | undefined;
        to?: string | undefined;
      }
    | undefined;
  size: number;
  cursor?: string | undefined;
  as_of?: string | undefined;
  view: 'SUMMARY' | 'FULL' | 'COUNT';
  /** Counts at most so many changes, unless the filter can find one several times. Pages of the browser have it, tools don't. */
  max_count?: number | undefined;
  verify: boolean;
  /** Continues a verification that one call could not finish. */
  verify_cursor?: string | undefined;
}
