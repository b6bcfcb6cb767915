import type { Caller } from '../../commands/organization/caller.ts';
import type { Reader } from '../moments/snapshot.ts';
import type { ChangesInput } from './changes-input.ts';
import { type ListedChange, listChanges } from './list-changes.ts';

const MAX_PAGES_READ = 10;

/** Conditions that no stored key holds. Changes are read and compared one by one. */
export interface ChangeRefinement {
  /** A part of the client's name, such as "claude". */
  client: string | null;
  /** True leaves out the changes that people made without an assistant. */
  onlyAssistants: boolean;
}

/** A page of changes. It can be empty although older changes match: then it has a cursor. */
export interface ChangesPart {
  changes: readonly ListedChange[];
  nextCursor: string | null;
}

/** Lists changes as listChanges does, and leaves out those that don't meet the refinement. */
export async function listRefinedChanges(
  reader: Reader,
  caller: Caller,
  input: ChangesInput,
  refinement: ChangeRefinement,
): Promise<ChangesPart> {
  const changes: ListedChange[] = [];
  let cursor = input.cursor;
  for (let pages = 0; pages < MAX_PAGES_READ; pages += 1) {
    const page = await listChanges(reader, caller, { ...input, cursor });
    const { changes: read, next_cursor } = page as { changes: ListedChange[]; next_cursor?: string };
    changes.push(...read.filter((change) => meets(change, refinement)));
    cursor = next_cursor;
    if (cursor === undefined || changes.length >= input.size / 2) break;
  }
  return { changes, nextCursor: cursor ?? null };
}

function meets(change: ListedChange, { client, onlyAssistants }: ChangeRefinement): boolean {
  if (onlyAssistants && !isMadeByAssistant(change)) return false;
  return client === null || Boolean(change.client?.toLowerCase().includes(client.toLowerCase()));
}

/** Returns true if an assistant made the change. Clients named `veritrail …` are commands of this service, such as imports. */
export function isMadeByAssistant({ client }: Pick<ListedChange, 'client'>): boolean {
  return client !== null && !client.startsWith('veritrail ');
}
