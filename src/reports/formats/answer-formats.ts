import type { AnswerWriter } from '../pages/report-page.ts';
import type { AnswerFormatName } from '../report-type.ts';
import { reportCsv } from './report-csv.ts';
import { reportJson } from './report-json.ts';
import { reportMarkdown } from './report-markdown.ts';

/** The writers of getReport's formats. */
export const ANSWER_FORMATS: Readonly<Record<AnswerFormatName, AnswerWriter>> = {
  MARKDOWN: reportMarkdown,
  JSON: reportJson,
  CSV: reportCsv,
};
