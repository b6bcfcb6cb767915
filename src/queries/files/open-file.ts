import { invalidField } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { readSignedCursor, writeSignedCursor } from '../lists/cursor.ts';
import { type PinnedMoment, pinnedMoment, requireCursorPosition } from '../moments/moment.ts';
import { isIncomplete, type Snapshot } from '../moments/snapshot.ts';

/** A request for a file of records or changes. */
export interface FileInput {
  organization_id: string;
  filter?: Record<string, unknown> | undefined;
  as_of?: string | undefined;
  /** The cursor of an interrupted file, to resume it. */
  cursor?: string | undefined;
  /** The last line that the caller has: a record's id, or for changes a position. */
  after?: string | undefined;
  /** Each record has the words of its linked records, by family. By default none: they are further reads. */
  withLinks?: boolean | undefined;
}

/** A file that is ready to be written. */
export interface OpenedFile {
  moment: PinnedMoment;
  /** Resumes the file at the same moment. */
  cursor: string;
  /** True if an event of the organization could not be read, so something may be missing. */
  incomplete: boolean;
  /** The lines in batches. A batch is read only when it is requested. */
  batches: AsyncGenerator<object[]>;
}

/**
 * Rows per read of the store, so that memory use doesn't grow with the file. Each batch is read from the generation that
 * is current then: a download can outlive a generation, and all generations have the same rows at one position.
 */
export const FILE_ROWS_PER_READ = 100;

/**
 * Pins a file to one position, even without as_of, so that later writes don't change it. The cursor is bound to the
 * caller: nobody else can use it.
 */
export async function pinFile(
  snapshot: Snapshot,
  caller: Caller,
  file: string,
  { organization_id, filter, as_of, cursor, after }: FileInput,
): Promise<Omit<OpenedFile, 'batches'>> {
  const boundTo = ['file', file, caller.account_id, organization_id, filter ?? {}, as_of ?? null];
  if (after !== undefined && cursor === undefined) {
    throw invalidField('cursor', 'after requires cursor. Pass the value of the file’s Veritrail-Cursor header.');
  }
  const { today, position } =
    cursor === undefined
      ? await pinnedMoment(snapshot, organization_id, as_of)
      : await readMomentCursor(snapshot, organization_id, boundTo, cursor);
  return {
    moment: { today, position },
    cursor: writeSignedCursor(snapshot.cursorKey, boundTo, [today, position]),
    incomplete: isIncomplete(snapshot, organization_id),
  };
}

async function readMomentCursor(
  snapshot: Snapshot,
  organizationId: string,
  boundTo: unknown,
  cursor: string,
): Promise<PinnedMoment> {
  const [today, position] = readSignedCursor<[string, number]>(snapshot.cursorKey, boundTo, cursor);
  await requireCursorPosition(snapshot, organizationId, position);
  return { today, position };
}
