import type { StreamBatch } from '../../stores/event-store.ts';
import type { SentStoreError } from './store-errors.ts';

export const ACCOUNT_WRITES = ['insert', 'put', 'update', 'remove', 'sweep'] as const;
export type AccountWrite = (typeof ACCOUNT_WRITES)[number];

export interface WriteThreadSettings {
  dataDir: string;
  /** The stores that are files in that folder. */
  isEmbedded: { events: boolean; accounts: boolean };
}

export interface WriteMessages {
  request: { append: StreamBatch } | { method: AccountWrite; args: readonly unknown[] };
  answer: { value: unknown } | { error: SentStoreError };
  toThread: never;
  toMain: never;
}
