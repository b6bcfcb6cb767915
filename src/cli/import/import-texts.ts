import { relationCountsText } from '../../import/crosswalk/crosswalk-import.ts';
import type { CountedText, NoteKind, Notes } from '../../import/sheet/notes.ts';
import type { RowImportResult } from '../../import/sheet/row-import.ts';
import type { SheetFields } from '../../import/sheet/sheet-fields.ts';
import { asideText } from '../../sheets/aside-text.ts';
import type { MatchedColumns } from '../../sheets/columns/match-columns.ts';

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

export interface ImportMode {
  dryRun: boolean;
  /** The option --update would change records that this import leaves as they are. */
  offersUpdate?: boolean;
}

type Sentence = (total: number, texts: readonly CountedText[], mode: ImportMode) => string;

/** The sentences in the order of the messages. */
const SENTENCES: Readonly<Record<NoteKind, Sentence>> = {
  WORD: (_, texts) => `Words were read as values: ${countsText(texts)}. Give others with --value FIELD:WORD=VALUE.`,
  PLACEHOLDER: (total) => `Cells such as n/a, TBD and - were read as empty: ${total}.`,
  SHORTENED_NAME: (total) => `Long names were shortened: ${total}. The description has the whole text.`,
  ASIDE: (_, texts) => asideText(texts.map(({ text }) => Number(text))),
  REPORT_LINE: (total) => `The file is a report. Its lines without records, such as figures, were left out: ${total}.`,
  READ_DIFFERENTLY: (total, _, { offersUpdate }) =>
    `${total} of the unchanged rows were imported before with other values, such as another mapping. ` +
    `Their records stay as they are.${offersUpdate ? ' --update changes them.' : ''}`,
  UPDATED: (_, texts, { dryRun }) =>
    `These rows ${dryRun ? 'would change' : 'changed'} records: ${listText(inRowOrder(texts), '; ')}.`,
  OUTDATED: (_, texts) =>
    `These rows were imported before, and their records have changed since: ${listText(inRowOrder(texts))}. ` +
    'The records stay as they are. To change one, give its row the id.',
  SIMILAR: (_, texts, { offersUpdate }) =>
    `These have the same name or reference_id: ${listText(texts.map(({ text }) => text))}.` +
    (offersUpdate ? ' --update changes them instead.' : ''),
  LEFT_OUT_COLUMN: (_, texts) =>
    `These columns were left out in rows about existing records, which can’t set them: ${texts.map(({ text }) => text).join(', ')}.`,
  STRAY_DECISION: (total) =>
    `In ${total} rows, cells about a decision were left out, because the status tells of none.`,
  UNKNOWN_MEMBER: (_, texts) =>
    `These are no members, so they became no owners: ${countsText(texts, '"')}. See "veritrail member list".`,
  CONFUSABLE_MEMBER: (_, texts) =>
    `Several members could be meant, so nobody became the owner: ${countsText(texts, '"')}. Give e-mail addresses.`,
  UNKNOWN_RECORD: (_, texts) =>
    `These name no record to link with: ${countsText(texts, '"')}. Import those records first, then this file again.`,
  UNCLEAR_NUMBER: (_, texts) =>
    `These are numbers of clauses and of controls of Annex A, so they link nothing: ${countsText(texts, '"')}. Write A.8.2, or "clause 8.2".`,
  SINGLE_CONTROL: (total) => `Rows with controls of one framework only link nothing: ${total}.`,
  UNRELATED: (total) => `Rows that say that there is no relation link nothing: ${total}.`,
};

/** Returns messages about how rows were read, where a person should know it. */
export function noteTexts(notes: Notes, mode: ImportMode): string[] {
  return Object.entries(SENTENCES).flatMap(([kind, sentence]) => {
    const { total, texts } = notes.of(kind as NoteKind);
    return total === 0 ? [] : [sentence(total, texts, mode)];
  });
}

function inRowOrder(texts: readonly CountedText[]): string[] {
  return texts.map(({ text }) => text).sort((a, b) => rowIn(a) - rowIn(b));
}

const rowIn = (text: string) => Number(/\d+/.exec(text)?.[0]);

function countsText(texts: readonly CountedText[], quote = ''): string {
  return listText(texts.map(({ text, rows }) => `${quote}${text}${quote} (${rows})`));
}

function listText(texts: readonly string[], separator = ', '): string {
  const more = texts.length - MAX_LISTED_WORDS;
  return more > 0 ? `${texts.slice(0, MAX_LISTED_WORDS).join(separator)} and ${more} more` : texts.join(separator);
}

/** Returns the last lines of an import. A crosswalk has one for each two frameworks, and one about its pairs. */
export function summaryText(result: RowImportResult, { dryRun }: ImportMode): string {
  const { rows, created, updated, unchanged, leftOut, links, crosswalks } = result;
  const pairs = (crosswalks ?? []).map((crosswalk) => {
    const [one, other] = crosswalk.frameworks;
    return `${one!.name} and ${other!.name}: ${relationCountsText(crosswalk)}\n`;
  });
  const pairsText = crosswalks === undefined ? '' : ' pairs';
  const linksText = links > 0 ? `, linked ${links}` : '';
  const counts = `created ${created}, updated ${updated}, unchanged ${unchanged}${pairsText}, refused ${leftOut}${linksText}`;
  return `${pairs.join('')}${dryRun ? 'Dry run, nothing was written: ' : ''}${counts} (of ${rows} rows)`;
}
