import type { CommandHandler } from '../../commands/engine/handler.ts';
import { nullIfDamaged } from '../../commands/engine/refusal.ts';
import { FAMILIES, recordAggregate } from '../../commands/families.ts';
import { textKey } from '../../projections/read-models/search-text.ts';
import { withoutPadding } from '../../projections/read-models/search-words.ts';
import { CONTROL } from '../../register/control.ts';
import { FAMILY_DESCRIPTIONS, type FamilyName, familyOfType } from '../../register/families.ts';
import { FRAMEWORK, type FrameworkState } from '../../register/framework.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModels } from '../../stores/read-store.ts';

export interface LogSource {
  organizationId: string;
  events: Pick<EventStore, 'readAll'>;
  handler: Pick<CommandHandler, 'load'>;
  /** The read models, which may lag behind the log. Null if there are none. */
  models: Pick<ReadModels, 'checkpoint'> | null;
}

const MAX_CONCURRENT_LOADS = 100;

/** Finds records by number or name that the read models don't have yet, such as those of a command before this one. */
export class RecentRecords {
  private readonly ids = new Map<string, Set<string>>();

  private constructor(private readonly source: LogSource) {}

  static async open(source: LogSource): Promise<RecentRecords> {
    const records = new RecentRecords(source);
    const changed = [
      ...(await recordsSinceCheckpoint(
        source,
        FAMILY_DESCRIPTIONS.map(({ type }) => type as FamilyName),
      )),
    ];
    for (let start = 0; start < changed.length; start += MAX_CONCURRENT_LOADS) {
      const some = changed.slice(start, start + MAX_CONCURRENT_LOADS);
      await Promise.all(some.map(({ type, id }) => records.load(type, id)));
    }
    return records;
  }

  /** Returns the ids of the live records of a type with this number or name. */
  find(type: FamilyName, word: string): readonly string[] {
    const [exact, folded] = keysOf(type, word).map((key) => [...(this.ids.get(key) ?? [])]);
    return exact!.length > 0 ? exact! : folded!;
  }

  private async load(type: FamilyName, id: string): Promise<void> {
    const loaded = await this.source.handler.load(recordAggregate(id)).catch(nullIfDamaged);
    const state = loaded?.state as Readonly<Record<string, unknown>> | null | undefined;
    if (state == null || loaded?.organization_id !== this.source.organizationId || state.archived_at !== null) return;
    for (const field of ['reference_id', familyOfType(type)!.titleField ?? 'name']) this.add(type, state[field], id);
    if (type !== FRAMEWORK.type) return;
    const { controls } = state as unknown as FrameworkState;
    for (const control of controls) this.add(CONTROL.type as FamilyName, control.section_title, control.id);
  }

  private add(type: FamilyName, text: unknown, id: string): void {
    if (typeof text !== 'string') return;
    for (const key of keysOf(type, text)) this.ids.set(key, (this.ids.get(key) ?? new Set()).add(id));
  }
}

/** Returns the keys of a text: as it is, and without the padding of its numbers. R1 is rather R1 than R01. */
function keysOf(type: FamilyName, text: string): [exact: string, folded: string] {
  const key = textKey(text) ?? '';
  return [`${type} ${key}`, `${type}~${withoutPadding(key)}`];
}

/** Returns the records of these types that changed since the read models' checkpoint. Without one, all of them. */
export async function recordsSinceCheckpoint(
  { organizationId, events, models }: Pick<LogSource, 'organizationId' | 'events' | 'models'>,
  types: readonly FamilyName[],
): Promise<Iterable<{ type: FamilyName; id: string }>> {
  const checkpoint = (await models?.checkpoint(organizationId)) ?? null;
  // A parked event is missing in the read models for good.
  const after = checkpoint === null || checkpoint.parked > 0 ? null : checkpoint.storePosition;
  const typeOf = new Map(types.map((type) => [FAMILIES[type].singular as string, type]));
  const records = new Map<string, { type: FamilyName; id: string }>();
  for await (const batch of events.readAll(after)) {
    for (const { stream, metadata } of batch) {
      const [, singular = '', id = ''] = /^(.+)-([^-]+)$/.exec(stream) ?? [];
      const type = typeOf.get(singular);
      if (type !== undefined && metadata.organization_id === organizationId) records.set(stream, { type, id });
    }
  }
  return records.values();
}
