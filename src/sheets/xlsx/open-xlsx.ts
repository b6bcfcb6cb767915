import { posix } from 'node:path';
import { damagedFile, fileRefusal, type RawSheet } from '../cells/cell.ts';
import { readDateStyles } from './xlsx-dates.ts';
import { readSheetRows } from './xlsx-rows.ts';
import { readSharedStrings } from './xlsx-strings.ts';
import { parseXml } from './xml.ts';
import { Zip } from './zip.ts';

/** Limits of unzipped parts that are held in memory. The sheet itself is streamed and has no limit. */
const MAX_STRINGS_BYTES = 64 * 1_048_576;
const MAX_PART_BYTES = 16 * 1_048_576;

interface Relation {
  /** The last word of its type, such as `worksheet`. The address before it differs in transitional and strict files. */
  type: string;
  part: string;
}

interface Workbook {
  date1904: boolean;
  sheets: { name: string; visible: boolean; relation: string }[];
}

/**
 * Opens a sheet of a workbook in Office Open XML (ECMA-376 part 1, SpreadsheetML). The default is the first visible sheet.
 * Formulas have the value that was last calculated.
 */
export async function openXlsx(path: string, sheet: string | undefined): Promise<RawSheet> {
  const zip = await Zip.open(path);
  try {
    const book = (await relationsOf(zip, '')).find(({ type }) => type === 'officeDocument')?.part;
    if (book === undefined) throw damagedFile();
    const relations = await relationsById(zip, book);
    const workbook = await readWorkbook(zip, book);
    const part = choose(workbook, relations, sheet);
    const strings = partOf(relations, 'sharedStrings');
    const styles = partOf(relations, 'styles');
    const context = {
      date1904: workbook.date1904,
      strings: strings === undefined ? [] : await readSharedStrings(zip.read(strings, MAX_STRINGS_BYTES)),
      dated: styles === undefined ? [] : await readDateStyles(zip.read(styles, MAX_PART_BYTES)),
    };
    return {
      rows: readSheetRows(zip.read(part), context),
      progress: () => Math.min(1, zip.bytesRead / Math.max(1, zip.sizeOf(part))),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readWorkbook(zip: Zip, part: string): Promise<Workbook> {
  const workbook: Workbook = { date1904: false, sheets: [] };
  await parseXml(zip.read(part, MAX_PART_BYTES), {
    open(name, attributes) {
      if (name === 'workbookPr') workbook.date1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const relation = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      workbook.sheets.push({
        name: attributes.name ?? '',
        visible: (attributes.state ?? 'visible') === 'visible',
        relation,
      });
    },
  });
  return workbook;
}

/** Returns the part of the requested sheet. Sheets with only a chart have no cells and don't count. */
function choose(workbook: Workbook, relations: ReadonlyMap<string, Relation>, sheetName: string | undefined): string {
  const sheets = workbook.sheets.flatMap((sheet) => {
    const relation = relations.get(sheet.relation);
    return relation?.type === 'worksheet' ? [{ ...sheet, part: relation.part }] : [];
  });
  if (sheets.length === 0) throw damagedFile();
  const chosen =
    sheetName === undefined
      ? (sheets.find(({ visible }) => visible) ?? sheets[0])
      : sheets.find(({ name }) => name.toLowerCase() === sheetName.trim().toLowerCase());
  if (chosen) return chosen.part;
  const names = sheets.map(({ name }) => name);
  throw fileRefusal(`The workbook has no sheet "${sheetName}". Give one of ${names.join(', ')}.`, names);
}

function partOf(relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  return [...relations.values()].find((relation) => relation.type === type)?.part;
}

async function relationsById(zip: Zip, part: string): Promise<ReadonlyMap<string, Relation>> {
  return new Map((await relationsOf(zip, part)).map((relation) => [relation.id, relation]));
}

/** Returns a part's relationships to other parts, or the file's own if `part` is empty (ECMA-376 part 2). */
async function relationsOf(zip: Zip, part: string): Promise<(Relation & { id: string })[]> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  if (!zip.has(name)) throw damagedFile();
  const relations: (Relation & { id: string })[] = [];
  await parseXml(zip.read(name, MAX_PART_BYTES), {
    open(element, { Id = '', Type = '', Target = '', TargetMode }) {
      if (element !== 'Relationship' || TargetMode === 'External') return;
      const target = posix.resolve('/', folder, Target).slice(1);
      relations.push({ id: Id, type: posix.basename(Type), part: target });
    },
  });
  return relations;
}
