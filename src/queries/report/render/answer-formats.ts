import type { AnswerFormat } from '../page.ts';
import type { ReportFormat } from '../report-type.ts';
import { csv } from './csv.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';

/** Those of answers. */
export const FORMATS: Readonly<Record<ReportFormat, AnswerFormat>> = { MARKDOWN: markdown, JSON: json, CSV: csv };
