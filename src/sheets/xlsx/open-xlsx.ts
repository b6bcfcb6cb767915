import { posix } from 'node:path';
import { damagedFile } from '../cells/cell.ts';
import type { Workbook } from '../workbook.ts';
import { parseXml } from '../zip/xml.ts';
import type { Zip } from '../zip/zip.ts';
import { readDateStyles } from './date-styles.ts';
import { fillMergedCells, readMerges } from './merged-cells.ts';
import { readSheetRows } from './xlsx-rows.ts';
import { readSharedStrings } from './xlsx-strings.ts';

/** Limits of unzipped parts that are held in memory. The sheet itself is streamed; only the file's limit holds. */
const MAX_STRINGS_BYTES = 64 * 1_048_576;
const MAX_PART_BYTES = 16 * 1_048_576;

interface Relation {
  /** The last word of its type, such as `worksheet`. The address before it differs in transitional and strict files. */
  type: string;
  part: string;
}

interface WorkbookPart {
  date1904: boolean;
  sheets: { name: string; visible: boolean; relation: string }[];
}

/** Opens a workbook in Office Open XML (ECMA-376 part 1, SpreadsheetML). Formulas have the value that was last calculated. */
export async function openXlsx(zip: Zip): Promise<Workbook> {
  const book = (await relationsOf(zip, '')).find(({ type }) => type === 'officeDocument')?.part;
  if (book === undefined) throw damagedFile();
  const relations = await relationsById(zip, book);
  const { date1904, sheets } = await readWorkbook(zip, book);
  const worksheets = sheets.flatMap(({ name, visible, relation }) => {
    const { type, part } = relations.get(relation) ?? {};
    // Sheets with only a chart have no cells.
    return type === 'worksheet' && part !== undefined ? [{ name, visible, part }] : [];
  });
  if (worksheets.length === 0) throw damagedFile();
  const strings = partOf(relations, 'sharedStrings');
  const styles = partOf(relations, 'styles');
  const context = {
    date1904,
    strings: strings === undefined ? [] : await readSharedStrings(zip.read(strings, MAX_STRINGS_BYTES)),
    dated: styles === undefined ? [] : await readDateStyles(zip.read(styles, MAX_PART_BYTES)),
  };
  return {
    sheets: worksheets,
    open: async (index) => {
      const { part } = worksheets[index]!;
      const merges = await readMerges(zip.read(part));
      return {
        rows: fillMergedCells(readSheetRows(zip.read(part), context), merges),
        progress: () => Math.min(1, zip.bytesRead / Math.max(1, zip.sizeOf(part))),
        close: () => zip.close(),
      };
    },
    close: () => zip.close(),
  };
}

async function readWorkbook(zip: Zip, part: string): Promise<WorkbookPart> {
  const workbook: WorkbookPart = { date1904: false, sheets: [] };
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
