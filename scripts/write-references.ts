/**
 * Writes docs/tools.md and docs/read-models.md from the definitions of tools and read models, and the templates in
 * `reference`. Writes the schemas of events into docs/trail-format.md:
 *
 *     npm run docs
 */
import { writeFileSync } from 'node:fs';
import { makeReadModelsReference } from './reference/read-models-reference.ts';
import { makeToolsReference } from './reference/tools-reference.ts';
import { makeTrailFormatReference } from './reference/trail-format-reference.ts';

for (const { page, path } of [makeReadModelsReference(), await makeToolsReference(), makeTrailFormatReference()])
  writeFileSync(path, page);
