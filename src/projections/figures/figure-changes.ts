import { addDays, MAX_DATE, MIN_DATE } from '../../commands/engine/dates.ts';
import type { FigureDefinition } from '../../register/figure.ts';
import type { DocumentPut, ReadModels } from '../../stores/read-store.ts';
import {
  matchesConditions,
  type ReadModel,
  type RecordDocument,
  type StoredForms,
  type StoredKeys,
} from '../read-models/read-model.ts';
import {
  addFigures,
  CHANGES_FIGURE,
  closedDayId,
  DAILY_FIGURES,
  type DailyFiguresDocument,
  effectDays,
  effectsId,
  FIGURE_EFFECTS,
  type FigureCounts,
  type FigureEffectsDocument,
  monthOf,
  monthsBetween,
} from './daily-figures.ts';
import { FAMILY_WITH_FRAMEWORK_FIGURES, FIGURE_DEFINITIONS } from './figure-definitions.ts';

/** Documents of both collections by id, after the last commit. */
export interface FigureCache {
  get(id: string): object | undefined;
  set(id: string, document: object): unknown;
  clear(): void;
}

/** The differences that a batch's events make in one series. */
interface SeriesChanges {
  /** By the day of the events. */
  days: Map<string, { position: number; differences: Record<string, number> }>;
  /** By a later day on which they take place. */
  effects: Map<string, Record<string, number>>;
}

/** Collects the differences that a batch's events make to the daily figures of their organization. */
export class FigureChanges {
  private readonly series = new Map<string, SeriesChanges>();
  private day = '';
  private position = 0;

  constructor(
    private readonly organizationId: string,
    private readonly forms: StoredForms,
  ) {}

  /** Begins the next event. Its day is that of its log time. */
  beginEvent(position: number, logTime: string): void {
    this.position = position;
    this.day = logTime.slice(0, 10);
  }

  /** Counts the event as a change of the organization. */
  countChange(): void {
    this.add(this.organizationId, CHANGES_FIGURE, this.day, 1);
  }

  /** Takes back what a record's version counts, and counts the next version. Days before the event stay as they are. */
  replaceRecord(model: ReadModel, before: RecordDocument | null, after: RecordDocument): void {
    const { type } = model.family;
    const definitions = FIGURE_DEFINITIONS[type];
    if (definitions === undefined) return;
    const keysBefore = before && this.forms.keysOf(model, before);
    const keysAfter = this.forms.keysOf(model, after);
    const series = [this.organizationId];
    if (type === FAMILY_WITH_FRAMEWORK_FIGURES) series.push(String(keysAfter.framework_id));
    for (const definition of definitions) {
      const spanBefore = keysBefore && countedSpan(definition, keysBefore);
      changeSpan(spanBefore, countedSpan(definition, keysAfter), (day, difference) => {
        for (const id of series) this.add(id, definition.name, day, difference);
      });
    }
  }

  /** Returns the documents to write. Reads those before them that aren't in the cache. */
  async puts(models: Pick<ReadModels, 'get'>, cache: FigureCache): Promise<DocumentPut[]> {
    const ids = [...this.series.keys()];
    const newestDays = await this.read<DailyFiguresDocument>(models, cache, DAILY_FIGURES.name, ids);
    const effectsIds = [...this.series].flatMap(([id, changes]) =>
      monthsToRead(newestDays.get(id) ?? null, changes).map((month) => effectsId(id, month)),
    );
    const effects = await this.read<FigureEffectsDocument>(models, cache, FIGURE_EFFECTS.name, effectsIds);
    const puts: DocumentPut[] = [];
    for (const [id, changes] of this.series) {
      const newest = newestDays.get(id) ?? null;
      const changed = addEffects(id, changes, effects);
      for (const month of changed) puts.push(this.put(FIGURE_EFFECTS.name, month, {}, effects.get(month)!));
      const ofSeries = monthsToRead(newest, changes).flatMap((month) => effects.get(effectsId(id, month)) ?? []);
      const days = daysFrom(newest, changes, ofSeries, id === this.organizationId ? null : id);
      for (const [index, document] of days.entries()) {
        const { day } = document;
        const dayId = index === days.length - 1 ? id : closedDayId(id, day);
        puts.push(this.put(DAILY_FIGURES.name, dayId, { series_id: id, day }, document));
      }
    }
    for (const { document } of puts) cache.set(document.id, document.doc);
    return puts;
  }

  /** Reads documents by id, from the cache if they are there. */
  private async read<Document extends object>(
    models: Pick<ReadModels, 'get'>,
    cache: FigureCache,
    collection: string,
    ids: readonly string[],
  ): Promise<Map<string, Document>> {
    const absent = ids.filter((id) => cache.get(id) === undefined);
    const stored = absent.length === 0 ? [] : await models.get(collection, absent);
    const documents = new Map(stored.map(({ id, doc }) => [id, doc as object as Document]));
    for (const id of ids) {
      const document = documents.get(id) ?? cache.get(id);
      if (document !== undefined) documents.set(id, document as Document);
    }
    return documents;
  }

  private put(collection: string, id: string, keys: Readonly<Record<string, string>>, doc: object): DocumentPut {
    return { collection, document: { id, organization_id: this.organizationId, keys, doc } };
  }

  /** Adds a difference that holds from a day on, but not before the event's own day. */
  private add(seriesId: string, name: string, day: string, difference: number): void {
    let changes = this.series.get(seriesId);
    if (changes === undefined) {
      changes = { days: new Map(), effects: new Map() };
      this.series.set(seriesId, changes);
    }
    const ofDay = changes.days.get(this.day)?.differences ?? {};
    changes.days.set(this.day, { position: this.position, differences: ofDay });
    let differences = ofDay;
    if (day > this.day) {
      differences = changes.effects.get(day) ?? {};
      changes.effects.set(day, differences);
    }
    differences[name] = (differences[name] ?? 0) + difference;
  }
}

/** Returns the months of the effects that the changes touch, and of those that took place since the newest day. */
function monthsToRead(newest: DailyFiguresDocument | null, { days, effects }: SeriesChanges): string[] {
  const last = lastOf(days);
  const endedMonths = newest === null || newest.day === last ? [] : monthsBetween(newest.day, last);
  return [...new Set([...endedMonths, ...[...effects.keys()].map(monthOf)])];
}

function lastOf(days: SeriesChanges['days']): string {
  return [...days.keys()].at(-1)!;
}

/** Adds a series' later effects to those of its months. Returns the ids of the months that they are in. */
function addEffects(
  seriesId: string,
  changes: SeriesChanges,
  effects: Map<string, FigureEffectsDocument>,
): Set<string> {
  const changedNames = new Set<string>();
  for (const [day, differences] of changes.effects) {
    const id = effectsId(seriesId, monthOf(day));
    effects.set(id, withEffect(effects.get(id), day, differences));
    changedNames.add(id);
  }
  return changedNames;
}

/** Returns the effects of a month with further ones on a day. Days without effects are left out. */
function withEffect(
  month: FigureEffectsDocument | undefined,
  day: string,
  differences: FigureCounts,
): FigureEffectsDocument {
  const { [day]: before = {}, ...others } = month?.days ?? {};
  const sum = addFigures(before, differences);
  return { days: Object.keys(sum).length === 0 ? others : { ...others, [day]: sum } };
}

/**
 * Returns the documents of a series that the changes make: of each day with an event or an effect. The first one is the
 * newest before, unless these events are on the same day.
 */
function daysFrom(
  newest: DailyFiguresDocument | null,
  { days }: SeriesChanges,
  effects: Iterable<FigureEffectsDocument>,
  framework_id: string | null,
): DailyFiguresDocument[] {
  const first = newest?.day ?? [...days.keys()][0]!;
  const differences = new Map(effectDays(effects, first, lastOf(days)));
  const documents = newest === null ? [] : [newest];
  for (const day of [...new Set([...days.keys(), ...differences.keys()])].sort()) {
    const before = documents.at(-1);
    const change = days.get(day);
    const figures = addFigures(before?.figures ?? {}, differences.get(day) ?? {});
    if (before?.day === day) documents.pop();
    documents.push({
      framework_id,
      day,
      position: change?.position ?? before!.position,
      figures: addFigures(figures, change?.differences ?? {}),
    });
  }
  return documents;
}

/** Days on which a record counts, if it stays as it is: from the first one until before `until`. */
interface CountedSpan {
  from: string;
  /** MAX_DATE: it never stops. */
  until: string;
  /** The value that the record adds to the figure: 1 in a count. */
  amount: number;
}

/** Returns the days on which a record with these stored keys counts in a figure; null if it never does. */
function countedSpan({ where = [], days, sum }: FigureDefinition, keys: StoredKeys): CountedSpan | null {
  if (keys.archived !== 0 || !matchesConditions(where, keys)) return null;
  const amount = sum === undefined ? 1 : Number(keys[sum]);
  if (days === undefined) return { from: MIN_DATE, until: MAX_DATE, amount };
  const date = keys[days.key] ?? MAX_DATE;
  if (date === MAX_DATE) return null;
  return {
    from: addDays(String(date), days.from),
    until: days.until === undefined ? MAX_DATE : addDays(String(date), days.until),
    amount,
  };
}

/** Reports the days on which a figure changes when a record's counted days change, and by how much. */
function changeSpan(
  before: CountedSpan | null,
  after: CountedSpan | null,
  add: (day: string, difference: number) => void,
): void {
  if (before?.from === after?.from && before?.until === after?.until && before?.amount === after?.amount) return;
  if (before !== null) {
    add(before.from, -before.amount);
    if (before.until !== MAX_DATE) add(before.until, before.amount);
  }
  if (after !== null) {
    add(after.from, after.amount);
    if (after.until !== MAX_DATE) add(after.until, -after.amount);
  }
}
