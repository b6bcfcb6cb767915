import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

/* Compiles copies of the description of vendors, each with one typo in a name. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const DESCRIPTION = readFileSync(join(ROOT, 'src/register/vendor.ts'), 'utf8');

/** The text with the typo, and the name that it misspells. */
const TYPOS: readonly (readonly [typo: string, name: string])[] = [
  ["orders: ['name', 'last_reveiwed'", 'last_reviewed'],
  ["summary: ['name', 'status', 'critcality'", 'criticality'],
  ["leadingIndexKeys: ['statsu']", 'status'],
  ["test: 'BEFORE', key: 'reveiwed_or_never'", 'reviewed_or_never'],
  ["test: 'PAST', key: 'review_due', about: ['next_reveiw_due']", 'next_review_due'],
  ["filtersLeaveOut: { field: 'status', value: 'OFBOARDED' }", 'OFFBOARDED'],
  ["date: 'contract_untill'", 'contract_until'],
  ['filter: { statsu: STATUSES_IN_USE }', 'status'],
  ["VendorReveiwed: 'reviewed_at'", 'VendorReviewed'],
  ["VendorReviewImported: 'reveiwed_at'", 'reviewed_at'],
  ["added: 'VendorAded'", 'VendorAdded'],
  ["groupBy: ['status', 'critcality']", 'criticality'],
  ["days: startsAfter('reveiw_due')", 'review_due'],
  ["where: [NOT_OFFBOARDED, isIn('criticality', ['HIGH', 'CRITCAL'])]", 'CRITICAL'],
  ["where: [NOT_OFFBOARDED, { key: 'last_reveiwed', op: 'empty' }]", 'last_reviewed'],
  ["stateField(VENDOR_STATUSES, 'PENDING_REVEIW')", 'PENDING_REVIEW'],
  ["first: { states: ['PENDING_REVEIW'", 'PENDING_REVIEW'],
  ["example: { filter: { reveiwed_before: '{today-365}'", 'reviewed_before'],
  ["criticality: ['HIGH', 'CRITCAL'] } }", 'CRITICAL'],
  ['processes_persnal_data: true', 'processes_personal_data'],
  ["example: { contract_untill: '{today+300}'", 'contract_until'],
];

/** Returns the description with the typo, and the number of its line. */
function misspell(typo: string, name: string): { text: string; line: number } {
  const misspelled = typo.match(/\w+/g)!.find((word) => !DESCRIPTION.includes(word))!;
  const correct = typo.replace(misspelled, name);
  const before = DESCRIPTION.indexOf(correct);
  assert.not.equal(before, -1, `the description has ${correct}`);
  return { text: DESCRIPTION.replace(correct, typo), line: DESCRIPTION.slice(0, before).split('\n').length };
}

/** Compiles the texts as one program. Returns the lines of each that have errors. */
function linesWithErrors(texts: readonly string[]): number[][] {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-typos-'));
  try {
    const compilerOptions = { types: [] };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.mts'] }),
    );
    for (const [index, text] of texts.entries()) {
      writeFileSync(join(folder, `${index}.mts`), text.replaceAll("from './", `from '${ROOT}src/register/`));
    }
    const { stdout } = spawnSync(process.execPath, [TSC, '--project', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const errors = [...stdout.matchAll(/^(.+?)\((\d+),\d+\): error (.*)/gm)];
    return texts.map((_, index) =>
      errors.filter(([, file]) => file === `${index}.mts`).map(([, , line]) => Number(line)),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const typos = suite('typos in a description');

typos('each is an error at its own line', () => {
  const copies = TYPOS.map(([typo, name]) => misspell(typo, name));
  const [correct, ...errors] = linesWithErrors([DESCRIPTION, ...copies.map(({ text }) => text)]);
  assert.equal(correct, [], 'the description compiles');
  for (const [index, [typo]] of TYPOS.entries()) {
    // Errors further below are of the description that uses the misspelled part.
    assert.is(errors[index]![0], copies[index]!.line, typo);
  }
});

typos.run();
