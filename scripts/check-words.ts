/**
 * Refuses private words in exported names, names that src/ exports twice, riddles at the start of comments, and sentences
 * that are too long:
 *
 *     npm run words [-- FILE or FOLDER …]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkFile, findDuplicates } from './words/check-file.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE = /^(?:src|scripts|bench|test|examples|bin)\/.*\.(?:tsx?|m?js)$/;
const DOCUMENTS = /^(?:docs\/.*|examples\/.*|\.github\/.*|[^/]+)\.md$/;
/** Recorded data, and code that others wrote. */
const LEFT_ALONE = /^test\/(?:fixtures|support\/ferretdb)\//;

const folders = process.argv.slice(2).map((argument) => argument.replace(/^\.\/|\/$/g, ''));
const files = listFiles().filter(
  (file) => folders.length === 0 || folders.some((argument) => file === argument || file.startsWith(`${argument}/`)),
);
if (files.length === 0) throw new Error('No such file or folder here.');

const checked = files.map((file) => checkFile(file, readFileSync(`${ROOT}/${file}`, 'utf8')));
const exports = checked.flatMap((result) => result.exports).filter(({ file }) => file.startsWith('src/'));
const findings = [...checked.flatMap((result) => result.findings), ...findDuplicates(exports)];
for (const { file, line, column, text, advice } of findings) {
  console.log(`${file}:${line}:${column} ${advice}\n    ${text}`);
}
console.log(`${files.length} files, ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** Returns the project's own files, new ones too, without those that Git ignores. */
function listFiles(): string[] {
  return execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((file) => (CODE.test(file) || DOCUMENTS.test(file)) && !LEFT_ALONE.test(file))
    .filter((file) => existsSync(`${ROOT}/${file}`))
    .sort();
}
