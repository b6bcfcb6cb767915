import { BYTE_ORDER_MARK, reportCsv } from '../../reports/formats/report-csv.ts';
import { reportHtml } from '../../reports/formats/report-html.tsx';
import { reportJson } from '../../reports/formats/report-json.ts';
import { reportMarkdownFile } from '../../reports/formats/report-markdown.ts';
import { reportXlsx } from '../../reports/formats/report-xlsx.ts';
import type { ReportHead, ReportWriter } from '../../reports/pages/report-page.ts';
import { XLSX_MEDIA_TYPE } from '../../sheets/xlsx/write-xlsx.ts';
import type { FileFormat } from './file-format.ts';
import type { PdfPrinter } from './pdf-printer.ts';

export interface ReportFileFormat extends FileFormat {
  format: ReportWriter;
  /** Returns the file's content, from the rows as written. */
  content(head: ReportHead, written: Written): string | Buffer;
  /** True if the content is a web page, of which a browser prints the file. */
  isPrinted?: true;
}

/** A writer's output: a text, or a workbook. */
type Written = { content?: string; workbook?: Buffer };

const contentOf = (_head: ReportHead, { content = '' }: Written): string => content;

/** All formats. A client that accepts none of them gets the first. */
export const REPORT_FILE_FORMATS: readonly ReportFileFormat[] = [
  {
    name: 'json',
    mediaType: 'application/json; charset=utf-8',
    extension: 'json',
    format: reportJson,
    content: (head, written) => JSON.stringify({ report: { ...head, ...written } }),
  },
  {
    name: 'markdown',
    mediaType: 'text/markdown; charset=utf-8',
    extension: 'md',
    format: reportMarkdownFile,
    content: contentOf,
  },
  {
    name: 'csv',
    mediaType: 'text/csv; charset=utf-8',
    extension: 'csv',
    format: reportCsv,
    content: (_head, { content = '' }) => `${BYTE_ORDER_MARK}${content}`,
  },
  {
    name: 'xlsx',
    mediaType: XLSX_MEDIA_TYPE,
    extension: 'xlsx',
    format: reportXlsx,
    content: (_head, { workbook = Buffer.of() }) => workbook,
  },
  {
    name: 'html',
    mediaType: 'text/html; charset=utf-8',
    extension: 'html',
    format: reportHtml,
    content: contentOf,
  },
  {
    name: 'pdf',
    mediaType: 'application/pdf',
    extension: 'pdf',
    format: reportHtml,
    content: contentOf,
    isPrinted: true,
  },
];

/** Returns the formats that this machine can generate. */
export function availableReportFormats({ isAvailable }: Pick<PdfPrinter, 'isAvailable'>): readonly ReportFileFormat[] {
  return isAvailable() ? REPORT_FILE_FORMATS : REPORT_FILE_FORMATS.filter(({ name }) => name !== 'pdf');
}
