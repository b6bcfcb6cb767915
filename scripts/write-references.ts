/**
 * Writes docs/tools.md and docs/read-models.md from the definitions of tools and of the reporting database, and the
 * templates in `reference`. Writes the schema of that database as JSON and for dbt, too. Writes the schemas of events into docs/trail-format.md:
 *
 *     npm run docs
 */
import { writeFileSync } from 'node:fs';
import { makeReportingReference } from './reference/reporting-reference.ts';
import { makeToolsReference } from './reference/tools-reference.ts';
import { makeTrailFormatReference } from './reference/trail-format-reference.ts';

for (const { page, path } of [...makeReportingReference(), await makeToolsReference(), makeTrailFormatReference()])
  writeFileSync(path, page);
