import { CHANGES, type ChangeDocument } from '../../projections/history/change-document.ts';
import { readOutOfOrder } from '../../projections/transparency/out-of-order-events.ts';
import {
  addOutOfOrder,
  IN_ORDER,
  isAheadOf,
  type OutOfOrder,
  outOfOrderText,
  RecordedOrder,
} from '../../trail/recorded-order.ts';
import type { Snapshot } from '../moments/snapshot.ts';

/** Changes that are read at once. Notices on later events ahead of the clock are left out until the next read. */
const MAX_CHANGES_AHEAD = 1_000;

/** Reads the notices on an organization's events that were recorded out of order; null if none was. */
export async function readOrderNotices(snapshot: Snapshot, organizationId: string): Promise<OrderNotices | null> {
  const checkpoint = snapshot.progress.checkpoint(organizationId);
  if (checkpoint === null) return null;
  const { models, now } = snapshot;
  const before = checkpoint.outOfOrder === 0 ? IN_ORDER : await readOutOfOrder(models, organizationId);
  const ahead = isAheadOf(checkpoint.logTime, now()) ? await readAhead(snapshot, organizationId) : IN_ORDER;
  if (before.runs + ahead.runs === 0) return null;
  return toNotices({
    events: before.events + ahead.events,
    runs: before.runs + ahead.runs,
    first: [...before.first, ...ahead.first].sort((a, b) => a.from - b.from),
    last: null,
  });
}

/** The notices as answers and pages show them. */
export interface OrderNotices {
  events: number;
  runs: number;
  first: { from: string; until: string; text: string }[];
}

const MAX_ANSWERED_NOTICES = 10;

function toNotices({ events, runs, first }: OutOfOrder): OrderNotices {
  const answered = first.slice(0, MAX_ANSWERED_NOTICES);
  return {
    events,
    runs,
    first: answered.map((run) => ({
      from: String(run.from),
      until: String(run.until),
      text: outOfOrderText(run),
    })),
  };
}

/** Reads the events ahead of the clock. They aren't stored, because they stop being ahead. */
async function readAhead({ models, now }: Snapshot, organizationId: string): Promise<OutOfOrder> {
  const order = new RecordedOrder('', now());
  const where = [{ key: 'log_time', op: 'range', gte: now().toISOString() }] as const;
  const rows = await models.find({
    collection: CHANGES.name,
    organizationId,
    where,
    order: { key: 'position', direction: 'ASC' },
    limit: MAX_CHANGES_AHEAD,
  });
  let ahead = IN_ORDER;
  let lastPosition = 0;
  for (const { doc } of rows) {
    const { position, event_type: type, recorded_at } = doc as unknown as ChangeDocument;
    if (position === lastPosition) continue;
    lastPosition = position;
    const finding = order.take({ type, data: null, metadata: { recorded_at } });
    if (finding === 'AHEAD') ahead = addOutOfOrder(ahead, finding, position, recorded_at, '');
  }
  return ahead;
}
