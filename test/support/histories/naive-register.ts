/**
 * The register in the slow and simple way: records and links as docs/trail-format.md folds them, and derived facts counted
 * from scratch at each call. It shares no code with the projections.
 */
import type { ReadableEvent, StoredEvent } from '../../../src/stores/event-store.ts';
import { FoldedExport } from '../trail/fold-from-page.ts';
import { readable } from './readable.ts';

export interface Plain {
  id: string;
  type: string;
  fields: Record<string, unknown>;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
  /** The number of the record's events. */
  revision: number;
}

export class NaiveRegister {
  readonly records = new Map<string, Plain>();
  private readonly fold = new FoldedExport([]);
  position = 0;
  /** The day of the newest log time. */
  today = '';

  take(stored: StoredEvent): void {
    const [event] = readable([stored]) as [ReadableEvent];
    this.position += 1;
    const { recorded_at } = event.metadata;
    if (recorded_at.slice(0, 10) > this.today) this.today = recorded_at.slice(0, 10);
    this.fold.apply(event as Parameters<FoldedExport['apply']>[0], this.position);
    const dash = event.stream.indexOf('-');
    const id = event.stream.slice(dash + 1);
    if (!this.fold.records.has(id)) return;
    this.update(id, event.stream.slice(0, dash).toUpperCase());
    const { controls = [] } = event.data as { controls?: { id: string }[] };
    for (const control of controls) this.update(control.id, 'CONTROL');
  }

  private update(id: string, type: string): void {
    const fields = this.fold.records.get(id)!;
    const { archived_at, created_at, updated_at, revision } = fields as unknown as Plain;
    this.records.set(id, { id, type, fields, archived_at, created_at, updated_at, revision });
  }

  /** A control is archived with its framework, too. */
  archivedAt({ id }: Plain): string | null {
    return this.fold.record(id).archived_at;
  }

  /** Returns all records linked with one, archived or not: by a link, or by a reference in either direction. */
  linkedTo(id: string): Plain[] {
    const { evidence, others } = this.fold.connectedTo(id, true);
    return [...evidence, ...others].map((other) => this.records.get(other)!);
  }

  /** Returns the linked records of a type that are not archived. */
  live(id: string, type: string): Plain[] {
    return this.linkedTo(id).filter((other) => other.type === type && this.archivedAt(other) === null);
  }

  ofType(type: string): Plain[] {
    return [...this.records.values()].filter((record) => record.type === type);
  }
}
