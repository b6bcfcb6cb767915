import type { RefusalCode, RefusalDetails } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import type { RecordFileCall } from '../../http/files/record-files.ts';
import type { ReportFileCall } from '../../http/files/report-files.ts';
import type { DownloadDetails } from '../../queries/files/download-details.ts';
import type { PinnedMoment } from '../../queries/moments/moment.ts';
import type { StoreSettings } from '../../stores/open.ts';
import type { Checkpoint } from '../../stores/read-store.ts';
import type { PreparedCall, ToolResult } from '../../tools/toolbox.ts';
import type { ReadStatement } from './statements-in-thread.ts';

export interface ReadThreadSettings {
  stores: StoreSettings;
  cursorKey: Uint8Array;
  /** The program's version, for ETags. */
  version: string;
  /** The clock of the main thread: see `followTime`. */
  time: SharedArrayBuffer;
}

/** The progress of read models that the main thread has answered for. A read in another thread includes at least that. */
export interface ProgressState {
  caughtUpAt: number;
  /** Those of all organizations that are being read, so that none is older than `caughtUpAt`. */
  checkpoints: readonly Checkpoint[];
}

export interface SentRefusal {
  refusal: {
    code: RefusalCode;
    message: string;
    more: RefusalDetails;
    answer: object;
    /** `retryable` of an OperatorNeeded; null for another refusal. */
    canRepeat: boolean | null;
  };
}

/** The reads, each with its answer. A file's content follows in chunks: see `chunk` in ReadMessages. */
export interface HeavyReads {
  call: { read: { call: PreparedCall; reportsProgress: boolean }; answer: ToolResult };
  reportFile: {
    /** The thread writes the file to the path. */
    read: { call: ReportFileCall; path: string };
    answer: { etag: string; file: { name: string; size: number } | null } | SentRefusal;
  };
  recordFile: {
    read: { call: RecordFileCall };
    answer: { moment: PinnedMoment; cursor: string; incomplete: boolean } | SentRefusal;
  };
  statement: { read: { statement: ReadStatement }; answer: { rows: unknown } | SentRefusal };
}

/** A read, with the state of the read models that it must include. */
export type ReadRequest = {
  [Type in keyof HeavyReads]: { type: Type } & HeavyReads[Type]['read'];
}[keyof HeavyReads] & {
  /** Names the read, and the content of its file. */
  id: number;
  generation: string;
  state: ProgressState;
};

export interface ReadMessages {
  /** `chunk` asks for the next bytes of a file. The answer is null after its end. */
  request: ReadRequest | { type: 'chunk'; id: number };
  answer: HeavyReads[keyof HeavyReads]['answer'] | Uint8Array | null;
  toThread:
    | { type: 'waited'; id: string; state: ProgressState | null }
    /** Nobody reads the rest of this file. */
    | { type: 'close'; id: number };
  toMain:
    | { type: 'progress'; id: number; done: number; total: number | undefined; message: string | undefined }
    | { type: 'report generated'; caller: Caller; report: DownloadDetails }
    /** Asks to wait until the read models contain the events written before a moment. */
    | { type: 'wait'; id: string; generation: string; moment: number; ms: number };
}
