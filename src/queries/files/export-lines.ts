import { unreadable } from '../../commands/engine/stream-state.ts';
import { StreamDamaged } from '../../stores/errors.ts';
import type { EventStore, ReadableEvent } from '../../stores/event-store.ts';
import { EXPORT_FORMAT, endLine, eventLine, headerLine } from '../../trail/check/line.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { GrowingTree } from '../../trail/seals/merkle.ts';

export interface ExportOptions {
  events: Pick<EventStore, 'readAll'>;
  organizationId: string;
  installation: string;
  now: () => Date;
  /** Called after every batch with the number of events written so far. */
  progress?: (events: number) => void;
}

/** Lines per batch. Larger batches outlive the garbage collector's first pass, which costs more than everything else. */
const LINES_PER_BATCH = 50;

/**
 * Returns the lines of an export: an organization's whole history up to the current end of the log, in batches. Memory use
 * doesn't grow with the log.
 * @throws StreamDamaged if an event can't be read
 * @returns the number of events
 */
export async function* exportLines(options: ExportOptions): AsyncGenerator<string[], number> {
  const { events, organizationId: organization_id, installation, now } = options;
  const tree = new GrowingTree(nodeCrypto);
  yield [headerLine({ format: EXPORT_FORMAT, organization_id, installation, exported_at: now().toISOString() })];
  for await (const batch of events.readAll(null)) {
    let lines: string[] = [];
    for (const event of batch) {
      if (event.metadata.organization_id !== organization_id) continue;
      tree.append(event.metadata.hash);
      if (event.data === null) throw unreadable(event, `the event at position ${tree.size}`);
      lines.push(lineOf(tree.size, event));
      if (lines.length < LINES_PER_BATCH) continue;
      yield lines;
      lines = [];
    }
    if (lines.length > 0) yield lines;
    options.progress?.(tree.size);
  }
  const { size } = tree;
  yield [endLine({ end: true, position: size, head: { size, root: tree.root() } })];
  return size;
}

function lineOf(position: number, event: ReadableEvent): string {
  try {
    return eventLine(position, event, event.texts);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StreamDamaged(event.stream, `the event at position ${position} has no canonical form: ${reason}`);
  }
}
