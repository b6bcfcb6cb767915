import { LINK_STREAM_PREFIX, type LinkEvent } from '../commands/link.ts';
import { upcast } from '../commands/upcast.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import { isSealStreamEvent } from '../trail/seal-events.ts';
import { linkChanges, recordChanges, unknownLinkChanges } from './change-rows.ts';
import { modelOfId, modelOfStream } from './models.ts';
import type { ReadModel, RecordDocument } from './read-model.ts';
import { STALE } from './related-counts.ts';
import { takeSeal } from './seals.ts';
import type { Step } from './step.ts';

/** What an event does to the register. @throws Error when it, or anything it leads to, cannot be made out */
export async function takeEffect(step: Step, logTime: string): Promise<void> {
  const { event } = step;
  if (isLink(event)) return takeLink(step, logTime);
  if (isSealStreamEvent(event)) return takeSeal(step, logTime);
  const model = modelOfStream(event.stream);
  if (model === null) throw new Error('no read model takes events of this stream');
  await takeRecord(step, model, logTime);
}

async function takeRecord(step: Step, model: ReadModel, logTime: string): Promise<void> {
  const { event } = step;
  const id = recordIdOf(event);
  const before = await step.record(id);
  const after = await step.evolve(model, id, event);
  await step.change(after);
  const data = upcast(event);
  for (const child of model.childRecords?.(event.type, data, id) ?? []) {
    step.expectNew(child.id);
    await step.change(step.begin(modelOfId(child.id)!, child.id, child.state, null, 1));
    await step.join(id, child.id);
  }
  for (const field of model.family.references ?? []) await refer(step, id, field, before, after);
  const linked = model.linkedIds?.(event.type, data) ?? [];
  for (const other of linked) await step.join(id, other);
  for (const put of recordChanges(event, step.position, logTime, model, before, after)) step.put(put);
  for (const other of linked) {
    const record = (await step.record(other))!;
    step.put(linkChanges(event, step.position, logTime, record, after, true).of);
  }
}

/** A field that names another record makes it a neighbour. */
async function refer(step: Step, id: string, field: string, before: RecordDocument | null, after: RecordDocument) {
  const [from, to] = [idIn(before, field), idIn(after, field)];
  if (from === to) return;
  if (from !== null) await step.part(id, from);
  if (to !== null) await step.join(id, to);
}

function idIn(document: RecordDocument | null, field: string): string | null {
  const named = (document as Record<string, unknown> | null)?.[field];
  return typeof named === 'string' ? named : null;
}

async function takeLink(step: Step, logTime: string): Promise<void> {
  const { event } = step;
  const { type, data } = { type: event.type, data: upcast(event) } as unknown as LinkEvent;
  const [a, b] = data.ids;
  switch (type) {
    case 'RecordsLinked':
      await step.join(a, b);
      break;
    case 'RecordsUnlinked':
      await step.part(a, b);
      break;
    default:
      throw new Error(`${String(type)} is not known to this version`);
  }
  const [one, two] = [(await step.record(a))!, (await step.record(b))!];
  const { of, back } = linkChanges(event, step.position, logTime, one, two, type === 'RecordsLinked');
  step.put(of);
  step.put(back);
}

/** Sets an event aside: its record, or the two it was to join, are marked stale and so are those that follow from them. */
export async function setAside(step: Step, logTime: string): Promise<void> {
  const { event } = step;
  if (isLink(event)) {
    const ids = idsOfLink(event);
    const records = await Promise.all(ids.map((id) => step.record(id)));
    for (const put of unknownLinkChanges(event, step.position, logTime, ids, records)) step.put(put);
    for (const id of ids) await step.markBeside(id, `${STALE}LINK`);
    return;
  }
  const model = modelOfStream(event.stream);
  const before = model && (await step.record(recordIdOf(event)));
  for (const put of recordChanges(event, step.position, logTime, model, before, null)) step.put(put);
  if (!before || before.parked) return;
  await step.change({ ...before, parked: true, stale: true, position: step.position, from_position: step.position });
}

export function isLink(event: StoredEvent): boolean {
  return event.stream.startsWith(LINK_STREAM_PREFIX);
}

/** The records that a link's stream joins: `link-<one>-<other>`. */
export function idsOfLink(event: StoredEvent): string[] {
  return event.stream.slice(LINK_STREAM_PREFIX.length).split('-');
}

/** The record that a stream is about: `<family>-<id>`. */
export function recordIdOf(event: StoredEvent): string {
  return event.stream.slice(event.stream.indexOf('-') + 1);
}
