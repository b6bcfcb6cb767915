import { MAX_CROSSWALK_PAIRS } from '../../commands/crosswalk.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AdoptedFrameworks } from '../../queries/records/adopted-frameworks.ts';
import type { RelationOfRecord } from '../../register/link.ts';
import { displayText } from '../../sheets/cells/cell.ts';
import type { SheetField } from '../../sheets/cells/read-cell.ts';
import { ColumnReader, type ReadingChoices } from '../../sheets/columns/column-reader.ts';
import { headingRankOf } from '../../sheets/columns/headings.ts';
import type { Sheet } from '../../sheets/read-sheet.ts';
import type { SheetRow } from '../../sheets/table-rows.ts';
import type { RowError } from '../import-rows.ts';
import { isLeftOutColumn } from '../sheet/left-out-columns.ts';
import { wordsOfCell } from '../sheet/sheet-import.ts';
import type { CheckedRow, CrosswalkImport, CrosswalkSummary } from './crosswalk-import.ts';
import { RELATION_WORDS } from './crosswalk-row.ts';

/** The fields that columns of a crosswalk can fill. */
export const CROSSWALK_FIELDS: readonly SheetField[] = [
  {
    name: 'from_control',
    kind: 'text',
    headings: ['from', 'source', 'source control', 'source id', 'control', 'control id', 'focal element'],
  },
  {
    name: 'to_control',
    kind: 'text',
    headings: [
      ...['to', 'target', 'target control', 'target id', 'reference element'],
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
  choices: ReadingChoices;
  /** The framework of each end, for rows that don't name it. By default the one whose controls the column has. */
  frameworks: Partial<Record<End, string | undefined>>;
  /** The relation of rows that don't state one. */
  relation?: RelationOfRecord | undefined;
}

/** Receives a row that was left out, with its problems. */
type OnLeftOut = (row: SheetRow, problems: readonly RowError[]) => Promise<void>;

export interface CrosswalkSheetResult {
  rows: number;
  leftOut: number;
  /** Rows that name a control on one side only. */
  single: number;
  crosswalks: readonly CrosswalkSummary[];
}

/** A row of the sheet, and the pairs in it. */
interface PairedRow {
  row: SheetRow;
  pairs: CheckedRow[];
  errors: RowError[];
}

/** A column that has fewer numbers of controls than this share of its cells is not one of controls. */
const MIN_SHARE_OF_NUMBERS = 0.5;

/** Imports the rows of a sheet as pairs of controls. Wrong rows are left out as a whole. */
export class CrosswalkSheet {
  private constructor(
    private readonly sheet: Sheet,
    private readonly options: CrosswalkSheetOptions,
    readonly columns: ColumnReader,
    /** By end: the framework of rows that don't name one. */
    private readonly defaults: Partial<Record<End, string | undefined>>,
  ) {}

  /** Finds the columns by their headings, and those of controls else by their contents. @throws Refusal */
  static async open(sheet: Sheet, options: CrosswalkSheetOptions): Promise<CrosswalkSheet> {
    const { frameworks } = options.crosswalkImport;
    const headers = sheet.headers.filter((header) => !isLeftOutColumn(header));
    const map = await mapControlColumns({ ...sheet, headers }, options.choices, frameworks);
    const columns = new ColumnReader({ ...sheet, headers }, CROSSWALK_FIELDS, { ...options.choices, map });
    const defaults: Partial<Record<End, string | undefined>> = {};
    for (const end of ENDS) {
      const header = columns.columns.headerOf.get(`${end}_control`);
      const found = header === undefined ? null : await frameworkOfColumn(sheet, header, frameworks);
      defaults[end] = options.frameworks[end] ?? found?.id;
    }
    return new CrosswalkSheet(sheet, options, columns, defaults);
  }

  /** Imports all rows. @throws Refusal too_large before anything is written */
  async run(onLeftOut: OnLeftOut): Promise<CrosswalkSheetResult> {
    const { crosswalkImport } = this.options;
    const { rows, inputs, single } = await this.readRows();
    const checked = await crosswalkImport.check(inputs.map(({ input }) => input));
    for (const [index, row] of checked.entries()) inputs[index]!.row.pairs.push(row);
    const leftOut = rows.filter(({ errors, pairs }) => errors.length > 0 || pairs.some((pair) => pair.errors));
    const written = rows.filter((row) => !leftOut.includes(row)).flatMap(({ pairs }) => pairs);
    const { crosswalks } = await crosswalkImport.write(written);
    for (const { row, errors, pairs } of leftOut) {
      await onLeftOut(row, [...errors, ...pairs.flatMap((pair) => pair.errors ?? [])]);
    }
    return { rows: rows.length + single, leftOut: leftOut.length, single, crosswalks };
  }

  /** Reads the rows, and each pair in them as importRecords takes it. */
  private async readRows() {
    const rows: PairedRow[] = [];
    const inputs: { row: PairedRow; input: object }[] = [];
    let single = 0;
    for await (const row of this.sheet.rows) {
      if (row.aside !== undefined) continue;
      const errors = row.problem === undefined ? [] : [{ field: '', message: row.problem }];
      const paired: PairedRow = { row, pairs: [], errors };
      const found = errors.length > 0 ? [] : await this.inputsOf(row, paired);
      if (found.length === 0 && paired.errors.length === 0) single += 1;
      else rows.push(paired);
      inputs.push(...found.map((input) => ({ row: paired, input })));
      if (inputs.length > MAX_CROSSWALK_PAIRS) break;
    }
    return { rows, inputs, single };
  }

  /** Returns the pairs of a row: each control in one cell with each in the other. */
  private async inputsOf(row: SheetRow, paired: PairedRow): Promise<object[]> {
    const { values, errors } = this.columns.read(row);
    paired.errors.push(...errors);
    if (errors.length > 0) return [];
    const { relation = this.options.relation } = values;
    const ends: { control: string; framework: string | undefined }[][] = [];
    for (const end of ENDS) {
      const { [`${end}_framework`]: word, [`${end}_control`]: cell } = values;
      const framework = word === undefined ? this.defaults[end] : String(word);
      const controls = cell === undefined ? [] : await this.controlsIn(String(cell));
      ends.push(controls.map((control) => ({ control, framework })));
    }
    const [from = [], to = []] = ends;
    return from.flatMap((one) =>
      to.map((other) => ({
        ...{ from_control: one.control, from_framework: one.framework },
        ...{ to_control: other.control, to_framework: other.framework },
        relation,
      })),
    );
  }

  /** Returns the controls that a cell names: one, or several such as "A.5.1; A.5.2". */
  private async controlsIn(cell: string): Promise<string[]> {
    const whole = await this.options.crosswalkImport.frameworks.findControl(cell.trim(), null);
    return 'id' in whole ? [cell.trim()] : wordsOfCell(cell);
  }
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
  throw new Refusal('invalid_input', message, { field: 'map' });
}

/** Returns the name of the field that a heading names best; null if none. */
function fieldOf(header: string): string | null {
  const ranked = CROSSWALK_FIELDS.map((field) => ({ name: field.name, rank: headingRankOf(field)(header) }));
  const [best] = ranked.filter(({ rank }) => rank !== null).sort((a, b) => a.rank! - b.rank!);
  return best?.name ?? null;
}

/** Returns the framework whose controls a column has; of several that fit as well, the one that the heading names. */
async function frameworkOfColumn({ sample }: Pick<Sheet, 'sample'>, header: string, frameworks: AdoptedFrameworks) {
  const words = sample.flatMap(({ cells }) => {
    const cell = cells.get(header);
    return cell === undefined ? [] : wordsOfCell(displayText(cell));
  });
  const shares = await Promise.all(
    frameworks.all.map(async (framework) => ({ framework, share: await frameworks.shareOfNumbers(framework, words) })),
  );
  const best = Math.max(MIN_SHARE_OF_NUMBERS, ...shares.map(({ share }) => share));
  const fitting = shares.filter(({ share }) => share === best).map(({ framework }) => framework);
  const named = frameworks.find(header);
  return fitting.length === 1 ? fitting[0]! : (fitting.find((framework) => framework === named) ?? null);
}
