import type { CommandHandler } from '../../commands/engine/handler.ts';
import { nullIfDamaged } from '../../commands/engine/refusal.ts';
import { recordAggregate } from '../../commands/families.ts';
import { textKey } from '../../projections/read-models/search-text.ts';
import type { FamilyName } from '../../register/families.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModels } from '../../stores/read-store.ts';
import { type FamilyQuery, familyQueryOfType } from '../family-query.ts';
import { recordsSinceCheckpoint } from './recent-records.ts';
import { lookalikeKeys } from './similar-records.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record that isn't archived. */
export interface LiveRecord {
  id: string;
  name: string;
  fields: Fields;
}

interface LiveRecordsOptions {
  organizationId: string;
  type: FamilyName;
  events: Pick<EventStore, 'readAll'>;
  handler: Pick<CommandHandler, 'load'>;
  /** The read models, which may lag behind the log. Null if there are none. */
  models: Pick<ReadModels, 'find' | 'checkpoint'> | null;
}

/** Records with one name that are read. More are too many to choose from. */
const MAX_MATCHES = 6;
const MAX_CONCURRENT_LOADS = 100;

/** Returns a key that is equal for records with the same whole name. */
export const wholeNameKey = (name: string): string => textKey(name) ?? '';

/**
 * Finds a family's live records by name and reference, as the log has them when it is opened. It asks the read models, and
 * reads from the log the records that changed since.
 */
export class LiveRecords {
  /** The records that the read models don't have as they are, by id. Null for one that is archived. */
  private readonly changed = new Map<string, LiveRecord | null>();
  /** The ids of these records, by lookalike key. */
  private readonly changedByKey = new Map<string, Set<string>>();

  private constructor(private readonly options: LiveRecordsOptions) {}

  static async open(options: LiveRecordsOptions): Promise<LiveRecords> {
    const records = new LiveRecords(options);
    const ids = [...(await changedIds(options))];
    for (let start = 0; start < ids.length; start += MAX_CONCURRENT_LOADS) {
      await Promise.all(ids.slice(start, start + MAX_CONCURRENT_LOADS).map((id) => records.load(id)));
    }
    return records;
  }

  /** Adds a new record, so that it is found too. */
  add(id: string, fields: Fields): void {
    this.changed.set(id, { id, name: this.family.model.nameOf(fields), fields });
    for (const entry of [...lookalikeKeys(id, fields), ...this.wholeNames(fields)]) {
      const key = entry.join(' ');
      this.changedByKey.set(key, (this.changedByKey.get(key) ?? new Set()).add(id));
    }
  }

  /** Returns the records that look like a record, without the record itself. */
  async findSimilar(id: string, fields: Fields): Promise<LiveRecord[]> {
    const similar = new Map<string, LiveRecord>();
    for (const [key, value] of lookalikeKeys(id, fields)) {
      for (const record of await this.findBy(key, value)) similar.set(record.id, record);
    }
    similar.delete(id);
    return [...similar.values()];
  }

  /**
   * Returns the records that a row could be about: those with its reference, else those with its name. R1 is rather R1 than
   * R01. A record with another reference is another one, even if it has the same name.
   */
  async findSame(row: Fields): Promise<LiveRecord[]> {
    const { reference_id: number } = this.family.lookalikes;
    const reference = typeof row.reference_id === 'string' ? textKey(row.reference_id) : null;
    if (reference !== null && number !== undefined) {
      const found = await this.findBy('reference_id', String(number.of(row)));
      const exact = found.filter(({ fields }) => textKey(String(fields.reference_id)) === reference);
      if (found.length > 0) return exact.length > 0 ? exact : found;
    }
    const [wholeName] = this.wholeNames(row);
    if (wholeName === undefined) return [];
    const named = await this.findBy(...wholeName);
    return reference === null ? named : named.filter(({ fields }) => (fields.reference_id ?? null) === null);
  }

  private get family(): FamilyQuery {
    return familyQueryOfType(this.options.type);
  }

  /** Returns the key of a record's whole name, if the family's records are found by it. */
  private wholeNames({ name }: Fields): (readonly [key: string, value: string])[] {
    const value = typeof name === 'string' && this.family.model.orders.includes('name') ? textKey(name) : null;
    return value === null ? [] : [['name', value]];
  }

  private async findBy(key: string, value: string): Promise<LiveRecord[]> {
    const { organizationId, models } = this.options;
    const { plural, model } = this.family;
    const stored = await models?.find({
      collection: plural,
      organizationId,
      where: [
        { key: 'archived', op: 'eq', value: 0 },
        { key, op: 'eq', value },
      ],
      order: { key, direction: 'ASC' },
      limit: MAX_MATCHES + this.changed.size,
    });
    const unchanged = (stored ?? []).filter(({ id }) => !this.changed.has(id));
    const ids = this.changedByKey.get(`${key} ${value}`) ?? [];
    return [
      ...unchanged.map(({ id, doc }) => ({ id, name: model.nameOf(doc), fields: doc })),
      ...[...ids].map((id) => this.changed.get(id)!),
    ].slice(0, MAX_MATCHES);
  }

  private async load(id: string): Promise<void> {
    const loaded = await this.options.handler.load(recordAggregate(id), true).catch(nullIfDamaged);
    // A record that can't be read is found as the read models have it.
    if (loaded?.state == null || loaded.organization_id !== this.options.organizationId) return;
    const { state } = loaded;
    if (state.archived_at === null) this.add(id, state);
    else this.changed.set(id, null);
  }
}

/** Returns the ids of the family's records that the read models may not have as they are. */
async function changedIds(options: LiveRecordsOptions): Promise<ReadonlySet<string>> {
  if (Object.keys(familyQueryOfType(options.type).lookalikes).length === 0) return new Set();
  return new Set([...(await recordsSinceCheckpoint(options, [options.type]))].map(({ id }) => id));
}
