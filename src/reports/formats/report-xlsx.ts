import type { SheetValue } from '../../sheets/xlsx/sheet-xml.ts';
import { type NewSheet, writeXlsx } from '../../sheets/xlsx/write-xlsx.ts';
import type { NamesByKey, TextStyle } from '../../texts/value-text.ts';
import type { ReportHead, ReportPage, ReportWriter, SectionPart } from '../pages/report-page.ts';
import type { Figure, ReportColumn, ReportRow } from '../report-type.ts';
import { valueAt } from '../sections/report-columns.ts';
import { cellText, columnHeading, figureHeadings, headFacts, INCOMPLETE_NOTE, SIGN_OFF_NOTE } from './report-text.ts';

/** Writes a report as a workbook: a sheet about the report, one with its figures, and one for each section. */
export const reportXlsx: ReportWriter = {
  write: async (head, page, signal) => {
    const chunks: Buffer[] = [];
    for await (const chunk of writeXlsx(sheetsOf(head, page))) {
      signal?.throwIfAborted();
      chunks.push(chunk);
    }
    return { workbook: Buffer.concat(chunks) };
  },
};

function sheetsOf(head: ReportHead, page: ReportPage): NewSheet[] {
  const { figures, parts, people, signOff } = page;
  return [
    sheet('Report', [head.title, ''], [...aboutRows(head, people), ...noteRows(parts)]),
    ...(figures.length === 0
      ? []
      : [sheet('Figures', ['Group', 'Figure', ...figureHeadings(figures), 'What it counts'], figures.map(figureRow))]),
    ...parts.map((part) => sectionSheet(part, people)),
    ...(signOff === undefined
      ? []
      : [
          sheet(
            'Approval',
            ['Approval', SIGN_OFF_NOTE],
            signOff.map((label) => [label]),
          ),
        ]),
  ];
}

function sheet(name: string, headings: readonly string[], values: Iterable<readonly SheetValue[]>): NewSheet {
  async function* rows() {
    yield* values;
  }
  return { name, headings, rows: rows() };
}

function aboutRows(head: ReportHead, people: NamesByKey): SheetValue[][] {
  const facts = [
    { label: 'Organization', value: head.organization.name ?? head.organization.id },
    ...headFacts(head, people),
    ...(head.incomplete ? [{ label: 'Note', value: INCOMPLETE_NOTE }] : []),
  ];
  return facts.map(({ label, value }) => [label, value]);
}

/** Returns the notes on what the sections include, since their sheets have rows only. */
function noteRows(parts: readonly SectionPart[]): SheetValue[][] {
  return parts.flatMap(({ section: { title, note } }) => (note === undefined ? [] : [[title, note]]));
}

function figureRow({ group, label, kind, value, change = {}, counts }: Figure): SheetValue[] {
  const cellOf = (number: number | null) => (kind === 'SHARE' && number !== null ? { share: number } : number);
  return [group, label, cellOf(value), ...Object.values(change).map(cellOf), counts];
}

/** Returns a section's sheet. Columns without a value in any row are left out. */
function sectionSheet({ section, rows }: SectionPart, people: NamesByKey): NewSheet {
  const style: TextStyle = { people, codesInWords: true };
  const columns = section.columns.filter((column) => rows.some((row) => cellText(row, column, style) !== ''));
  function* values() {
    for (const row of rows) yield columns.map((column) => cellValue(row, column, style));
  }
  return sheet(section.title, columns.map(columnHeading), values());
}

/** Returns a cell with its type, or the text that other documents for people show. */
function cellValue(row: ReportRow, column: ReportColumn, style: TextStyle): SheetValue {
  const value = valueAt(row, column.field);
  if (typeof value !== 'number') return cellText(row, column, style);
  return column.kind === 'SHARE' ? { share: value } : value;
}
