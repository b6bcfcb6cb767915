import type { Caller } from '../../commands/organization/caller.ts';
import type { PinnedMoment } from '../../queries/moments/moment.ts';
import type { FileRequest, RecordFile, RecordFileCatalog } from '../../tools/record-file-catalog.ts';
import { RECORD_FILE_FORMATS } from './record-file-formats.ts';

/** A request for a file of records or changes. It is plain data, so that another thread can read the file. */
export interface RecordFileCall {
  caller: Caller;
  request: FileRequest;
  /** The name of a format in `RECORD_FILE_FORMATS`. */
  format: string;
  /** Separates the cells of a CSV; by default a comma. */
  delimiter?: string | undefined;
  /** False if the client asks for the headers alone. */
  hasContent: boolean;
}

/** A file of records or changes that is ready to be sent. */
export interface OpenRecordFile {
  moment: PinnedMoment;
  /** Resumes the file at the same moment. */
  cursor: string;
  /** True if an event of the organization could not be read, so something may be missing. */
  incomplete: boolean;
  /** The content, read as it is requested. A reader that stops early must call `return`. Null without content. */
  chunks: AsyncIterableIterator<string | Uint8Array> | null;
}

/** The files of records and changes, written in a format. */
export interface RecordFiles extends Pick<RecordFileCatalog, 'filters'> {
  /** Opens a file, and reads its beginning. @throws Refusal as the list does; the signal's reason if it is aborted first */
  open(call: RecordFileCall, signal: AbortSignal): Promise<OpenRecordFile>;
}

/** Reads files in this thread. */
export class RecordFileReader implements RecordFiles {
  constructor(private readonly catalog: RecordFileCatalog) {}

  filters(file: string) {
    return this.catalog.filters(file);
  }

  async open({ caller, request, format: name, delimiter, hasContent }: RecordFileCall): Promise<OpenRecordFile> {
    const format = RECORD_FILE_FORMATS.find((candidate) => candidate.name === name)!;
    const { moment, cursor, incomplete, columns, batches } = await this.catalog.open(caller, {
      ...request,
      withLinks: format.isTable,
    });
    const file = { moment, cursor, incomplete };
    if (!hasContent) return { ...file, chunks: null };
    // Before the headers are sent, a read error can still be answered.
    const first = await batches.next();
    const content = { name: request.file, columns, batches: allBatches(first, batches), delimiter };
    return { ...file, chunks: format.write(content, request.after !== undefined) };
  }
}

async function* allBatches(
  first: IteratorResult<object[], unknown>,
  rest: RecordFile['batches'],
): AsyncGenerator<object[]> {
  if (!first.done) yield first.value;
  yield* rest;
}
