/**
 * Refuses private words in exported names, names that src/ exports twice, riddles at the start of comments, and sentences
 * that are too long:
 *
 *     npm run words [-- FILE or FOLDER …]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkFile, type Finding, findDuplicates } from './words/check-file.ts';
import { EXCEPTIONS, type Exception } from './words/exceptions.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE = /^(?:src|scripts|bench|test|examples|bin)\/.*\.(?:tsx?|m?js)$/;
const DOCUMENTS = /^(?:docs\/.*|examples\/.*|\.github\/.*|[^/]+)\.md$/;
/** Recorded data, and code that others wrote. */
const LEFT_ALONE = /^test\/(?:fixtures|support\/ferretdb)\//;

const folders = process.argv.slice(2).map((argument) => argument.replace(/^\.\/|\/$/g, ''));
const files = listFiles().filter(
  (file) => folders.length === 0 || folders.some((argument) => file === argument || file.startsWith(`${argument}/`)),
);
if (files.length === 0) fail('No such file or folder here.');

const used = new Set<Exception>();
const checked = files.map((file) => checkFile(file, readFileSync(`${ROOT}/${file}`, 'utf8')));
const exports = checked.flatMap((result) => result.exports).filter(({ file }) => file.startsWith('src/'));
const findings = [...checked.flatMap((result) => result.findings), ...findDuplicates(exports)].filter(
  (finding) => !isExcepted(finding),
);
for (const { file, line, column, text, advice } of findings) {
  console.log(`${file}:${line}:${column} ${advice}\n    ${text}`);
}
const unused = EXCEPTIONS.filter((exception) => files.includes(exception.file) && !used.has(exception));
for (const { file, text } of unused) console.log(`scripts/words/exceptions.ts: nothing in ${file} needs "${text}"`);

const problems = findings.length + unused.length;
console.log(`${files.length} files, ${problems} ${problems === 1 ? 'finding' : 'findings'}`);
process.exitCode = problems === 0 ? 0 : 1;

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

function isExcepted(finding: Finding): boolean {
  const exception = EXCEPTIONS.find(({ file, text }) => finding.file === file && finding.text === text);
  if (exception) used.add(exception);
  return exception !== undefined;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
