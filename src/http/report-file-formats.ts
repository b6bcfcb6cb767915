import { html } from '../queries/report/render/html.ts';
import { markdownFile } from '../queries/report/render/markdown.ts';
import { BYTE_ORDER_MARK, csv } from '../queries/report/render/report-csv.ts';
import { json } from '../queries/report/render/report-json.ts';
import type { ReportHead, ReportWriter } from '../queries/report/report-page.ts';
import type { FileFormat } from './file-format.ts';
import type { Printer } from './print-pdf.ts';

/** How a report becomes a file. */
export interface ReportFileFormat extends FileFormat {
  /** How its rows are written. */
  format: ReportWriter;
  /** The file's bytes of what that has written. */
  bytes(
    head: ReportHead,
    written: Written,
    print: (html: string) => Promise<Buffer>,
  ): string | Buffer | Promise<Buffer>;
}

type Written = { content?: string };

const contentOf = (_head: ReportHead, { content = '' }: Written): string => content;

/** The first is what a client gets that accepts none of them. */
export const REPORT_FILE_FORMATS: readonly ReportFileFormat[] = [
  {
    name: 'json',
    mediaType: 'application/json; charset=utf-8',
    ending: 'json',
    format: json,
    bytes: (head, written) => JSON.stringify({ report: { ...head, ...written } }),
  },
  {
    name: 'markdown',
    mediaType: 'text/markdown; charset=utf-8',
    ending: 'md',
    format: markdownFile,
    bytes: contentOf,
  },
  {
    name: 'csv',
    mediaType: 'text/csv; charset=utf-8',
    ending: 'csv',
    format: csv,
    bytes: (_head, { content = '' }) => `${BYTE_ORDER_MARK}${content}`,
  },
  {
    name: 'html',
    mediaType: 'text/html; charset=utf-8',
    ending: 'html',
    format: html,
    bytes: contentOf,
  },
  {
    name: 'pdf',
    mediaType: 'application/pdf',
    ending: 'pdf',
    format: html,
    bytes: (_head, { content = '' }, print) => print(content),
  },
];

/** The formats that this machine can make. */
export function availableReportFormats({ isAvailable }: Pick<Printer, 'isAvailable'>): readonly ReportFileFormat[] {
  return isAvailable() ? REPORT_FILE_FORMATS : REPORT_FILE_FORMATS.filter(({ name }) => name !== 'pdf');
}
