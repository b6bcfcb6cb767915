import { MAX_CROSSWALK_PAIRS } from '../../commands/crosswalk.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import type { AdoptedFrameworks } from '../../queries/records/adopted-frameworks.ts';
import type { RelationOfRecord } from '../../register/link.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { SheetField } from '../../sheets/cells/read-cell.ts';
import { ColumnReader, type ReadingChoices, type RowReading } from '../../sheets/columns/column-reader.ts';
import { headingRankOf } from '../../sheets/columns/headings.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import { mapConcurrently } from '../../tools/bulk-write.ts';
import type { RowError } from '../import-rows.ts';
import { isLeftOutColumn } from '../sheet/left-out-columns.ts';
import { Notes } from '../sheet/notes.ts';
import {
  type BareNumbers,
  isClause,
  meaningOfNumbers,
  numberBeforeTitle,
  numberMeant,
  spellingsOf,
} from '../sheet/reference-words.ts';
import type { RowImport, RowImportListener, RowImportResult } from '../sheet/row-import.ts';
import { wordsOfCell } from '../sheet/sheet-record.ts';
import { type CrosswalkImport, isRefusedPair } from './crosswalk-import.ts';
import { RELATION_WORDS } from './crosswalk-row.ts';

export const CROSSWALK_FIELDS: readonly SheetField[] = [
  {
    name: 'from_control',
    kind: 'text',
    headings: [
      'from',
      'source',
      'source control',
      'source id',
      'control',
      'control id',
      'focal element',
      'focal document element',
    ],
  },
  {
    name: 'to_control',
    kind: 'text',
    headings: [
      ...['to', 'target', 'target control', 'target id', 'reference element', 'reference document element'],
      ...['maps to', 'mapped to', 'mapped control', 'mapped controls', 'related control', 'related controls'],
    ],
  },
  {
    name: 'relation',
    kind: 'enum',
    values: RELATION_WORDS,
    headings: ['relationship', 'relation type', 'relationship type', 'mapping type', 'type of relation'],
  },
  { name: 'from_framework', kind: 'text', headings: ['source framework', 'source standard', 'framework', 'standard'] },
  { name: 'to_framework', kind: 'text', headings: ['target framework', 'target standard', 'mapped framework'] },
];

type End = 'from' | 'to';
const ENDS: readonly End[] = ['from', 'to'];

export interface CrosswalkSheetOptions {
  crosswalkImport: CrosswalkImport;
  /** True to write nothing. */
  dryRun: boolean;
  choices: ReadingChoices;
  /** The framework of each end, for rows that don't name it. By default the one whose controls the column has. */
  frameworks: Partial<Record<End, string | undefined>>;
  /** The relation of rows that don't state one. */
  relation?: RelationOfRecord | undefined;
}

/** A row of the sheet: each pair in it as importRecords takes it, or its errors. */
interface ReadRow {
  row: SheetRow;
  inputs: readonly object[];
  errors: readonly RowError[];
  /** The row says that its controls have no relation. */
  isUnrelated?: true;
}

const NO_RELATION = /^(?:none|no relation(?:ship)?|not related|unrelated|keine?)$/i;

interface EndColumn {
  /** The framework of rows that don't name one. */
  frameworkId: string | undefined;
  /** The meaning of numbers such as 8.2. */
  numbers: BareNumbers;
  /** Returns true if the framework, or without one any framework, has one control with a number. */
  has(number: string): Promise<boolean>;
}

/** A column that has fewer numbers of controls than this share of its cells is not one of controls. */
const MIN_SHARE_OF_NUMBERS = 0.5;

/** Imports the rows of a sheet as pairs of controls. Wrong rows are left out as a whole. */
export class CrosswalkSheet implements RowImport {
  readonly missingField = null;
  readonly changesRecords = true;

  private constructor(
    private readonly sheet: Sheet,
    private readonly options: CrosswalkSheetOptions,
    readonly columns: ColumnReader,
    private readonly ends: Record<End, EndColumn>,
  ) {}

  /** Finds the columns by their headings, and those of controls else by their contents. @throws Refusal */
  static async open(sheet: Sheet, options: CrosswalkSheetOptions): Promise<CrosswalkSheet> {
    const { frameworks } = options.crosswalkImport;
    const headers = sheet.headers.filter((header) => !isLeftOutColumn(header));
    const map = await mapControlColumns({ ...sheet, headers }, options.choices, frameworks);
    const columns = new ColumnReader({ ...sheet, headers }, CROSSWALK_FIELDS, { ...options.choices, map });
    const endColumn = async (end: End): Promise<EndColumn> => {
      const header = columns.columns.headerOf.get(`${end}_control`);
      const found = header === undefined ? null : await frameworkOfColumn(sheet, header, frameworks);
      const frameworkId = options.frameworks[end] ?? found?.id;
      const framework = frameworks.all.find(({ id }) => id === frameworkId) ?? null;
      const has = async (number: string) => 'id' in (await frameworks.findControl(number, framework));
      const words = header === undefined ? [] : wordsOfColumn(sheet, header);
      return { frameworkId, has, numbers: await meaningOfNumbers(header ?? '', words, has) };
    };
    const ends = { from: await endColumn('from'), to: await endColumn('to') };
    return new CrosswalkSheet(sheet, options, columns, ends);
  }

  /** @throws Refusal too_large before anything is written */
  async run({ leftOut }: Pick<RowImportListener, 'leftOut'>): Promise<RowImportResult> {
    const { crosswalkImport, dryRun } = this.options;
    const notes = new Notes();
    const read = await this.readRows();
    const isSingle = ({ inputs, errors }: ReadRow) => inputs.length === 0 && errors.length === 0;
    const rows = read.filter((row) => !isSingle(row));
    const checked = await crosswalkImport.check(rows.flatMap(({ inputs }) => inputs));
    const judged = rows.map(({ row, inputs, errors }) => {
      const pairs = checked.splice(0, inputs.length);
      const all = [...errors, ...pairs.filter(isRefusedPair).flatMap((pair) => pair.errors)];
      // Each pair of a row has the same error about its relation.
      const different = new Map(all.map((error) => [`${error.field} ${error.message}`, error]));
      return { row, pairs, errors: [...different.values()] };
    });
    const refused = judged.filter(({ errors }) => errors.length > 0);
    const valid = judged.filter(({ errors }) => errors.length === 0);
    const plan = await crosswalkImport.plan(valid.flatMap(({ pairs }) => pairs));
    const { crosswalks } = plan;
    if (!dryRun) await crosswalkImport.write(plan);
    for (const { row, errors } of refused) await leftOut(row, errors);
    for (const row of read.filter(isSingle)) notes.add({ kind: row.isUnrelated ? 'UNRELATED' : 'SINGLE_CONTROL' });
    const sum = (name: 'created' | 'updated' | 'unchanged') => crosswalks.reduce((total, one) => total + one[name], 0);
    return {
      ...{ rows: read.length, leftOut: refused.length, links: 0, notes, crosswalks },
      ...{ created: sum('created'), updated: sum('updated'), unchanged: sum('unchanged') },
    };
  }

  /** Reads the rows of the table, until they have more pairs than an import may have. */
  private async readRows(): Promise<ReadRow[]> {
    const rows: ReadRow[] = [];
    let count = 0;
    for await (const row of this.sheet.rows) {
      if (row.aside !== undefined) continue;
      const read = await this.readRow(row);
      rows.push(read);
      count += read.inputs.length;
      if (count > MAX_CROSSWALK_PAIRS) break;
    }
    return rows;
  }

  /** Returns the pairs of a row: each control in one cell with each in the other. */
  private async readRow(row: SheetRow): Promise<ReadRow> {
    if (row.problem !== undefined) return { row, inputs: [], errors: [{ field: '', message: row.problem }] };
    const relationCell = row.cells.get(this.columns.columns.headerOf.get('relation') ?? '');
    if (relationCell !== undefined && NO_RELATION.test(displayText(relationCell).trim())) {
      return { row, inputs: [], errors: [], isUnrelated: true };
    }
    const { values, errors } = this.columns.read(row);
    if (errors.length > 0) return { row, inputs: [], errors };
    const { relation = this.options.relation } = values;
    const [from, to] = [await this.controlsAt('from', values), await this.controlsAt('to', values)];
    const unclear = [...from, ...to].filter((control): control is RowError => 'field' in control);
    if (unclear.length > 0) return { row, inputs: [], errors: unclear };
    return { row, errors, inputs: from.flatMap((one) => to.map((other) => ({ ...one, ...other, relation }))) };
  }

  /** Returns the controls of a row's end with the members of importRecords, or errors. */
  private async controlsAt(end: End, values: RowReading['values']): Promise<(object | RowError)[]> {
    const { [`${end}_framework`]: framework = this.ends[end].frameworkId, [`${end}_control`]: cell } = values;
    const words = cell === undefined ? [] : await this.wordsIn(end, String(cell));
    return mapConcurrently(words, async (word) => {
      const control = await this.controlMeant(end, word);
      if (control !== null) return { [`${end}_control`]: control, [`${end}_framework`]: framework };
      const message = `"${word}" is a clause and a control of Annex A. Write A.${word}, or "clause ${word}".`;
      return { field: `${end}_control`, message };
    });
  }

  /** Returns the words of a cell that name controls: one, or several such as "A.5.1; A.5.2". */
  private async wordsIn(end: End, cell: string): Promise<string[]> {
    const isOne = await this.ends[end].has(cell.trim());
    return isOne ? [cell.trim()] : wordsOfCell(cell);
  }

  /** Returns the number that a word means, or the word if it names no control; null if it could be two. */
  private async controlMeant(end: End, word: string): Promise<string | null> {
    const { numbers, has } = this.ends[end];
    const meaning = isClause(word) ? 'CLAUSES' : numbers;
    for (const spelling of [...spellingsOf(word, true), numberBeforeTitle(word, true) ?? word]) {
      const number = await numberMeant(spelling, meaning, has);
      if (number === null || (await has(number))) return number;
    }
    return word;
  }
}

function wordsOfColumn({ sample }: Pick<Sheet, 'sample'>, header: string): string[] {
  return sample.flatMap(({ cells }) => {
    const cell = cells.get(header);
    return cell === undefined ? [] : wordsOfCell(displayText(cell));
  });
}

/** Adds columns of controls to a mapping, by their contents, if no heading names them. @throws Refusal if there are none */
async function mapControlColumns(
  sheet: Pick<Sheet, 'headers' | 'sample'>,
  { map: given = new Map(), ignored = [] }: ReadingChoices,
  frameworks: AdoptedFrameworks,
): Promise<ReadonlyMap<string, string>> {
  const map = new Map(given);
  const isNamed = (name: string) => map.has(name) || sheet.headers.some((header) => fieldOf(header) === name);
  const missing = ENDS.map((end) => `${end}_control`).filter((name) => !isNamed(name));
  const taken = new Set([...map.values(), ...ignored]);
  for (const header of sheet.headers) {
    const [next] = missing;
    if (next === undefined) break;
    if (taken.has(header) || fieldOf(header) !== null) continue;
    if ((await frameworkOfColumn(sheet, header, frameworks)) === null) continue;
    map.set(next, header);
    missing.shift();
  }
  if (missing.length === 0) return map;
  const message = `No column has the controls of ${missing[0]}. Map one, such as ${missing[0]}=${sheet.headers[0]}.`;
  throw invalidField('map', message);
}

function fieldOf(header: string): string | null {
  const ranked = CROSSWALK_FIELDS.map((field) => ({ name: field.name, rank: headingRankOf(field)(header) }));
  const [best] = ranked.filter(({ rank }) => rank !== null).sort((a, b) => a.rank! - b.rank!);
  return best?.name ?? null;
}

/** Returns the framework whose controls a column has; of several that fit as well, the one that the heading names. */
async function frameworkOfColumn(sheet: Pick<Sheet, 'sample'>, header: string, frameworks: AdoptedFrameworks) {
  const words = wordsOfColumn(sheet, header);
  const shares = await Promise.all(
    frameworks.all.map(async (framework) => ({ framework, share: await frameworks.shareOfNumbers(framework, words) })),
  );
  const best = Math.max(MIN_SHARE_OF_NUMBERS, ...shares.map(({ share }) => share));
  const fitting = shares.filter(({ share }) => share === best).map(({ framework }) => framework);
  const named = frameworks.find(header);
  return fitting.length === 1 ? fitting[0]! : (fitting.find((framework) => framework === named) ?? null);
}
