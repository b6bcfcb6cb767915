/**
 * Writes docs/tools.md and docs/read-models.md from the definitions of tools and of the reporting database, and the
 * templates in `reference`. Writes the schema of that database as JSON and for dbt, too. Writes the schemas of events into
 * docs/trail-format.md, and adds new columns to those that a test keeps:
 *
 *     npm run docs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { REPORTING_SCHEMA } from '../src/reporting/tables.ts';
import { makeReportingReference } from './reference/reporting-reference.ts';
import { makeToolsReference } from './reference/tools-reference.ts';
import { makeTrailFormatReference } from './reference/trail-format-reference.ts';

for (const { page, path } of [...makeReportingReference(), await makeToolsReference(), makeTrailFormatReference()])
  writeFileSync(path, page);

const KEPT_COLUMNS = new URL('../test/fixtures/reporting-schema.json', import.meta.url);
const kept: Record<string, Record<string, string>> = JSON.parse(readFileSync(KEPT_COLUMNS, 'utf8'));
// A kept column stays as it is. The test fails if the definitions have another.
for (const { name, columns } of [...REPORTING_SCHEMA.tables, ...REPORTING_SCHEMA.views])
  kept[name] = { ...Object.fromEntries(columns.map((column) => [column.name, column.type])), ...kept[name] };
writeFileSync(KEPT_COLUMNS, `${JSON.stringify(kept, null, 2)}\n`);
