/** An event of the log, with the fields that identity reads. */
export interface LoggedEvent {
  type: string;
  /** Null if the event can't be read. */
  data: Record<string, unknown> | null;
  metadata: { organization_id: string; recorded_at: string };
}

/** The event store's reads that identity needs in addition to the command handler. */
export interface EventLogReader {
  /** Reads all events from the start, in batches. */
  readAll(after: null): AsyncIterable<readonly LoggedEvent[]>;
}
