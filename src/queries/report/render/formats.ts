import type { Format } from '../page.ts';
import type { ReportFormat } from '../report-type.ts';
import { csv } from './csv.ts';
import { json } from './json.ts';
import { markdown } from './markdown.ts';

export const FORMATS: Readonly<Record<ReportFormat, Format>> = { MARKDOWN: markdown, JSON: json, CSV: csv };
