/**
 * Writes docs/tools.md from the tools' definitions and the template beside this file:
 *
 *     npm run docs
 */
import { writeFileSync } from 'node:fs';
import { makeToolsReference } from './reference/make.ts';

const { page, path } = await makeToolsReference();
writeFileSync(path, page);
