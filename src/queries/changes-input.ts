/** What listChanges is asked for: the changes of records, or the access log alone. */
export interface ChangesInput {
  organization_id: string;
  filter?:
    | {
        record_id?: string[] | undefined;
        record_types?: string[] | undefined;
        actor_id?: string[] | undefined;
        event_types?: string[] | undefined;
        from?: string | undefined;
        to?: string | undefined;
      }
    | undefined;
  size: number;
  cursor?: string | undefined;
  as_of?: string | undefined;
  view: 'SUMMARY' | 'FULL' | 'COUNT';
  verify: boolean;
  /** Where a verification goes on that one call could not finish. */
  verify_cursor?: string | undefined;
}
