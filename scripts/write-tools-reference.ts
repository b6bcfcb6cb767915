/**
 * Writes docs/tools.md and docs/read-models.md from the definitions of tools and read models, and the templates in
 * `reference`:
 *
 *     npm run docs
 */
import { writeFileSync } from 'node:fs';
import { makeToolsReference } from './reference/make.ts';
import { makeReadModelsReference } from './reference/read-models.ts';

for (const { page, path } of [makeReadModelsReference(), await makeToolsReference()]) writeFileSync(path, page);
