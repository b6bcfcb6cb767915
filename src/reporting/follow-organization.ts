import { DAILY_FIGURES, type DailyFiguresDocument } from '../projections/figures/daily-figures.ts';
import { CHANGES, type ChangeDocument } from '../projections/history/change-document.ts';
import { modelOfId } from '../projections/models.ts';
import type { RecordDocument } from '../projections/read-models/read-model.ts';
import { LINKS } from '../projections/relations/neighbours.ts';
import { FRAMEWORK } from '../register/framework.ts';
import type { Checkpoint, Condition, ReadModels } from '../stores/read-store.ts';
import type { ReportingTable, Row, RowChange, WriteRows } from '../stores/reporting-store.ts';
import { changeFieldPuts, changePut, changeRecordPuts } from './change-rows.ts';
import { duePuts } from './due-rows.ts';
import { RECORD_TABLES, type RecordTables, recordCells } from './family-tables.ts';
import { figurePuts, figuresSince } from './figure-rows.ts';
import { pagesInRange } from './source-pages.ts';
import {
  CHANGE_FIELDS_TABLE,
  CHANGE_RECORDS_TABLE,
  CHANGES_TABLE,
  DUE_DATES_TABLE,
  FIGURES_DAILY_TABLE,
  FOLLOWING_TABLES,
  FRAMEWORK_FIGURES_DAILY_TABLE,
  LINKS_TABLE,
  PROGRESS_TABLE,
} from './tables.ts';

/** The place up to which the rows of an organization follow its read models. */
export interface FollowedProgress {
  position: number;
  /** Time of the event at `position`, or the empty text before the first. */
  logTime: string;
}

/** The day in UTC up to which figures are written. */
export interface FiguresUntil {
  today: string;
  /** The day is a new one, on which the date of any record may have passed. */
  ofAllSeries: boolean;
}

type Source = Pick<ReadModels, 'find' | 'get'>;

/** Writes the rows that an organization's events made after `from`, up to the checkpoint of its read models. */
export class OrganizationStep {
  private readonly organizationId: string;
  private readonly range: { gt: number; lte: number };
  /** By position after `from`: epoch milliseconds of the event. */
  private readonly logTimes: number[] = [];

  constructor(
    private readonly models: Source,
    private readonly write: WriteRows,
    private readonly from: FollowedProgress,
    private readonly checkpoint: Checkpoint,
  ) {
    this.organizationId = checkpoint.organizationId;
    this.range = { gt: from.position, lte: checkpoint.position };
  }

  async run(figures: FiguresUntil): Promise<void> {
    await this.writeChanges();
    for (const tables of RECORD_TABLES) await this.writeRecords(tables);
    await this.writeLinks();
    await this.writeFigures(figures);
    await this.writeProgress();
  }

  private async writeChanges(): Promise<void> {
    for await (const changes of this.changePages({ key: 'row_index', op: 'eq', value: 0 })) {
      for (const { position, log_time } of changes) this.logTimes[position - this.from.position] = Date.parse(log_time);
      await this.writeRows(CHANGES_TABLE, changes, (change) => [changePut(this.organizationId, change)]);
      await this.writeRows(CHANGE_FIELDS_TABLE, changes, (change) => changeFieldPuts(this.organizationId, change));
      await this.writeChangeRecords(changes);
    }
    for await (const changes of this.changePages({ key: 'row_index', op: 'range', gte: 1 }))
      await this.writeChangeRecords(changes);
  }

  private writeChangeRecords(changes: readonly ChangeDocument[]): Promise<void> {
    return this.writeRows(CHANGE_RECORDS_TABLE, changes, (change) => changeRecordPuts(this.organizationId, change));
  }

  private async *changePages(condition: Condition): AsyncGenerator<ChangeDocument[]> {
    for await (const page of this.pages(CHANGES.name, 'position', [condition]))
      yield page.map(({ doc }) => doc as unknown as ChangeDocument);
  }

  /** Writes a family's new versions, ends those before them, and writes its changed records. */
  private async writeRecords(tables: RecordTables): Promise<void> {
    const { model, current, history } = tables;
    for await (const page of this.pages(history.name, 'from_position')) {
      const versions = page.map(({ doc }) => doc as unknown as RecordDocument);
      const newest = [...new Map(versions.map((version) => [version.id, version])).values()];
      await this.writeRows(history, versions, (version) => this.versionChanges(tables, version));
      await this.writeRows(current, newest, (version) => [
        { put: { ...recordCells(tables, version), changed_position: version.from_position } },
      ]);
      await this.writeRows(DUE_DATES_TABLE, newest, (version) => duePuts(model, version));
      // A record can begin with another record's event, as controls do.
      const own = versions.filter(({ position, from_position }) => position === from_position);
      await this.writeRows(CHANGE_RECORDS_TABLE, own, ({ id, organization_id, position }) => [
        { put: { organization_id, position, record_id: id, record_type: model.family.type } },
      ]);
    }
  }

  private versionChanges(tables: RecordTables, version: RecordDocument): RowChange[] {
    const { id, from_position } = version;
    const began = { from_position, from_time: this.timeOf(from_position), changed_position: from_position };
    return [{ end: { id }, set: this.endAt(from_position) }, { put: { ...recordCells(tables, version), ...began } }];
  }

  private async writeLinks(): Promise<void> {
    for await (const page of this.pages(LINKS.name, 'from_position')) {
      await this.writeRows(LINKS_TABLE, page, ({ doc }) => {
        const { record_id, other_id, other_type, relation = null, from_position } = doc as unknown as LinkDocument;
        if (record_id > other_id) return [];
        const began = { from_position, from_time: this.timeOf(from_position), changed_position: from_position };
        const record_type = modelOfId(record_id)?.family.type ?? null;
        const pair = { organization_id: this.organizationId, record_id, record_type, other_id, other_type, relation };
        return [{ put: { ...pair, ...began } }];
      });
    }
    for await (const page of this.pages(LINKS.name, 'until_position')) {
      await this.writeRows(LINKS_TABLE, page, ({ doc, key }) => {
        const { record_id, other_id } = doc as unknown as LinkDocument;
        return record_id > other_id ? [] : [{ end: { record_id, other_id }, set: this.endAt(Number(key)) }];
      });
    }
  }

  /** Writes the figures of the days since that of `from`, and of later days on which a date has passed. */
  private async writeFigures({ today, ofAllSeries }: FiguresUntil): Promise<void> {
    const query = { collection: DAILY_FIGURES.name, organizationId: this.organizationId, key: 'day' };
    for await (const page of pagesInRange(this.models, query, { gte: this.from.logTime.slice(0, 10) }))
      await this.writeFigureDays(page.map(({ doc }) => doc as unknown as DailyFiguresDocument));
    const series = ofAllSeries ? await this.readFrameworkIds() : [];
    // The newest document of a series has the series' own id.
    for (const { id, doc } of await this.models.get(DAILY_FIGURES.name, [this.organizationId, ...series])) {
      await this.writeFigureDays(await figuresSince(this.models, id, doc as unknown as DailyFiguresDocument, today));
    }
  }

  private async readFrameworkIds(): Promise<string[]> {
    const query = { collection: FRAMEWORK.plural, organizationId: this.organizationId, key: 'created_at' };
    const ids: string[] = [];
    for await (const page of pagesInRange(this.models, query, { gte: '' })) ids.push(...page.map(({ id }) => id));
    return ids;
  }

  private async writeFigureDays(days: readonly DailyFiguresDocument[]): Promise<void> {
    const ofOrganization = days.filter(({ framework_id }) => framework_id === null);
    const ofFrameworks = days.filter(({ framework_id }) => framework_id !== null);
    const rowsOf = (day: DailyFiguresDocument) => figurePuts(this.organizationId, day);
    await this.writeRows(FIGURES_DAILY_TABLE, ofOrganization, rowsOf);
    await this.writeRows(FRAMEWORK_FIGURES_DAILY_TABLE, ofFrameworks, rowsOf);
  }

  private writeProgress(): Promise<void> {
    const { position, logTime: log_time, parked } = this.checkpoint;
    const progress = { organization_id: this.organizationId, position, log_time, parked };
    return this.writeRows(PROGRESS_TABLE, FOLLOWING_TABLES, ({ name }) => [{ put: { ...progress, table_name: name } }]);
  }

  private pages(collection: string, key: string, where: readonly Condition[] = []): ReturnType<typeof pagesInRange> {
    return pagesInRange(this.models, { collection, organizationId: this.organizationId, key, where }, this.range);
  }

  private async writeRows<Item>(
    { name }: ReportingTable,
    items: readonly Item[],
    changesOf: (item: Item) => readonly RowChange[],
  ): Promise<void> {
    const changes = items.flatMap(changesOf);
    if (changes.length > 0) await this.write(name, changes);
  }

  private endAt(position: number): Row {
    return { until_position: position, until_time: this.timeOf(position), changed_position: position };
  }

  /** Returns the time of an event after `from`. Every such event has a change. */
  private timeOf(position: number): string | null {
    const time = this.logTimes[position - this.from.position];
    return time === undefined ? null : new Date(time).toISOString();
  }
}

interface LinkDocument {
  record_id: string;
  other_id: string;
  other_type: string;
  relation?: string;
  from_position: number;
}
