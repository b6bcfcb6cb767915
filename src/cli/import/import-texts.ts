import type { SheetFields } from '../../import/sheet/sheet-fields.ts';
import type { SheetImportResult } from '../../import/sheet/sheet-import.ts';
import { asideText } from '../../sheets/aside-text.ts';
import type { MatchedColumns } from '../../sheets/columns/match-columns.ts';

/** Words of one kind that the screen shows. */
const MAX_LISTED_WORDS = 10;

/** Returns a message about columns that fill no field, or null. */
export function unusedColumnsText(
  { fields, readOnlyColumns }: SheetFields,
  { unused: allUnused, headerOf }: MatchedColumns,
): string | null {
  const unused = allUnused.filter((header) => !readOnlyColumns.has(header));
  if (unused.length === 0) return null;
  const free = fields.map(({ name }) => name).filter((name) => !headerOf.has(name));
  const nextStep = free.length === 0 ? '' : ` Map them with --map FIELD=COLUMN to one of ${free.join(', ')}.`;
  return `Ignored columns: ${unused.join(', ')}.${nextStep}`;
}

/** Returns a message about the columns that fill fields, or null. */
export function matchedColumnsText({ headerOf }: MatchedColumns): string | null {
  if (headerOf.size === 0) return null;
  const columns = [...headerOf].map(([field, header]) => (field === header ? field : `${field} from "${header}"`));
  return `Columns: ${columns.join(', ')}.`;
}

interface ImportMode {
  dryRun: boolean;
  /** The option --update would change records that this import leaves as they are. */
  offersUpdate: boolean;
}

/** Returns messages about how cells were read, where a person should know it. */
export function resultNotices(result: SheetImportResult, mode: ImportMode): string[] {
  return [...readingNotices(result), ...recordNotices(result, mode), ...referenceNotices(result)];
}

function readingNotices({ words, placeholders, shortenedNames, asides }: SheetImportResult): string[] {
  const notices: string[] = [];
  if (words.length > 0) {
    const listed = words.map(({ field, word, value, rows }) => `${field} "${word}" as ${value} (${rows})`);
    notices.push(`Words were read as values: ${listText(listed)}. Give others with --value FIELD:WORD=VALUE.`);
  }
  if (placeholders > 0) notices.push(`Cells such as n/a, TBD and - were read as empty: ${placeholders}.`);
  if (shortenedNames > 0) {
    notices.push(`Long names were shortened: ${shortenedNames}. The description has the whole text.`);
  }
  if (asides.length > 0) notices.push(asideText(asides));
  return notices;
}

function recordNotices(result: SheetImportResult, { dryRun, offersUpdate }: ImportMode): string[] {
  const { readDifferently, similar, strayDecisions, updates, outdatedRows, columnsLeftOut } = result;
  const notices: string[] = [];
  if (readDifferently > 0) {
    notices.push(
      `${readDifferently} of the unchanged rows were imported before with other values, such as another mapping. ` +
        `Their records stay as they are.${offersUpdate ? ' --update changes them.' : ''}`,
    );
  }
  if (updates.length > 0) {
    const listed = updates.map(({ row, name, id, fields }) => `row ${row} "${name}" (${id}): ${fields.join(', ')}`);
    notices.push(`These rows ${dryRun ? 'would change' : 'changed'} records: ${listText(listed, '; ')}.`);
  }
  if (outdatedRows.length > 0) {
    const rows = outdatedRows.map(String);
    notices.push(
      `These rows were imported before, and their records have changed since: ${listText(rows)}. ` +
        'The records stay as they are. To change one, give its row the id.',
    );
  }
  if (similar.length > 0) {
    const listed = similar.map(({ row, id, name }) => `row ${row} and "${name ?? ''}" (${id})`);
    const nextStep = offersUpdate ? ' --update changes them instead.' : '';
    notices.push(`These have the same name or reference_id: ${listText(listed)}.${nextStep}`);
  }
  if (columnsLeftOut.size > 0) {
    const columns = [...columnsLeftOut].join(', ');
    notices.push(`These columns were left out in rows about existing records, which can’t set them: ${columns}.`);
  }
  if (strayDecisions > 0) {
    notices.push(`In ${strayDecisions} rows, cells about a decision were left out, because the status tells of none.`);
  }
  return notices;
}

/** Returns messages about words that name no member or record. */
function referenceNotices({ unknownMembers, confusableMembers, unknownRecords }: SheetImportResult): string[] {
  const notices: string[] = [];
  if (unknownMembers.size > 0) {
    notices.push(
      `These are no members, so the rows have no owner: ${countsText(unknownMembers)}. See "veritrail member list".`,
    );
  }
  if (confusableMembers.size > 0) {
    const names = countsText(confusableMembers);
    notices.push(`Several members could be meant, so the rows have no owner: ${names}. Give e-mail addresses.`);
  }
  if (unknownRecords.size > 0) {
    const words = countsText(unknownRecords);
    notices.push(`These name no record to link with: ${words}. Import those records first, then this file again.`);
  }
  return notices;
}

function countsText(counts: ReadonlyMap<string, number>): string {
  return listText([...counts].map(([word, rows]) => `"${word}" (${rows})`));
}

function listText(texts: readonly string[], separator = ', '): string {
  const more = texts.length - MAX_LISTED_WORDS;
  return more > 0 ? `${texts.slice(0, MAX_LISTED_WORDS).join(separator)} and ${more} more` : texts.join(separator);
}

/** Returns the last line of an import. */
export function summaryText(result: SheetImportResult, dryRun: boolean): string {
  const { rows, created, updated, unchanged, leftOut, links } = result;
  const linksText = links > 0 ? `, linked ${links}` : '';
  const counts = `created ${created}, updated ${updated}, unchanged ${unchanged}, refused ${leftOut}${linksText}`;
  return `${dryRun ? 'Dry run, nothing was written: ' : ''}${counts} (of ${rows} rows)`;
}
