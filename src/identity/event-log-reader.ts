/** A fact, as far as identity looks at it. */
export interface LoggedEvent {
  type: string;
  data: Record<string, unknown>;
  metadata: { organization_id: string; recorded_at: string };
}

/** What identity reads of the event store beside what the command handler loads. */
export interface EventLogReader {
  /** From the beginning, in batches. */
  readAll(after: null): AsyncIterable<readonly LoggedEvent[]>;
  readStream(stream: string): Promise<readonly LoggedEvent[]>;
}
