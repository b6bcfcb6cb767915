import type { Caller } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import { readSignedCursor, writeSignedCursor } from './cursor.ts';
import { type PinnedMoment, pinnedMoment } from './moment.ts';
import { isIncomplete, type Reader } from './reader.ts';

/** What a file of records or of changes is asked for by. */
export interface FileInput {
  organization_id: string;
  filter?: Record<string, unknown> | undefined;
  as_of?: string | undefined;
  /** Of a file that was begun, to go on with it. */
  cursor?: string | undefined;
  /** The last line that is there already: a record's id, of changes a position. */
  after?: string | undefined;
}

/** A file that is about to be written. */
export interface OpenedFile {
  moment: PinnedMoment;
  /** Leads back to the same moment. */
  cursor: string;
  /** An event of the organization could not be read: something may lack. */
  incomplete: boolean;
  /** Its lines, some at a time: none is read before it is asked for. */
  batches: AsyncGenerator<object[]>;
}

/** Rows of one read of the store: a file of any size never holds more. */
export const FILE_ROWS_PER_READ = 100;

/**
 * The moment that a file is of. It is pinned when the file is begun, now as well: a file is of one position, whatever
 * is written meanwhile. The cursor is the caller's alone, since it leads to a past that others may not see.
 */
export async function openFileAt(
  reader: Reader,
  caller: Caller,
  what: string,
  { organization_id, filter, as_of, cursor, after }: FileInput,
): Promise<Omit<OpenedFile, 'batches'>> {
  const boundTo = ['file', what, caller.account_id, organization_id, filter ?? {}, as_of ?? null];
  if (after !== undefined && cursor === undefined) {
    const message =
      'Give after together with the cursor that the file began with: it stands in a header of its answer.';
    throw new Refusal('invalid_input', message, { field: 'cursor' });
  }
  const { today, position } =
    cursor === undefined
      ? await pinnedMoment(reader, organization_id, as_of)
      : readMomentCursor(reader, boundTo, cursor);
  return {
    moment: { today, position },
    cursor: writeSignedCursor(reader.cursorKey, boundTo, [today, position]),
    incomplete: isIncomplete(reader, organization_id),
  };
}

function readMomentCursor(reader: Reader, boundTo: unknown, cursor: string): PinnedMoment {
  const [today, position] = readSignedCursor<[string, number]>(reader.cursorKey, boundTo, cursor);
  return { today, position };
}
