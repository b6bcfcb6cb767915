/**
 * Most clients load tools late: a model first searches their names and descriptions. The right tool must be among the first
 * three for most requests. Don't copy requests into descriptions to pass: name what the tool is for.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { keywordSearch } from '../support/mcp/keyword-search.ts';

const PAGE = readFileSync(new URL('../../docs/requests.md', import.meta.url), 'utf8');
const FIRST = 3;
const MIN_FOUND = 20;

/** The requests of the page, each with the tool of its last call, which answers it. */
const REQUESTS = PAGE.split(/^##+ /m)
  .filter((text) => /^\d+\. /.test(text))
  .map((text) => {
    const tool = [...text.matchAll(/^`(\w+)`\n\n```json/gm)].at(-1)?.[1] ?? '';
    return [tool, text.slice(0, text.indexOf('\n')).replace(/^\d+\. /, '')] as const;
  });

/** Other wordings, written before the descriptions were changed for this search. */
const OTHER_WORDINGS = [
  ['addVendor', 'Bluewater Hosting in Dublin is a new supplier of ours, put it on the list'],
  ['listVendors', 'Which companies that handle personal data have we not looked at this year?'],
  ['getReport', 'Give me a summary of where we stand that I can paste into the board papers'],
  ['listChanges', 'Show me everything Jonas altered last Tuesday'],
  ['reviewVendor', 'We finished the yearly check of our payroll provider and found no problems'],
  ['decideRisk', 'The director agrees to live with the flooding risk until next summer'],
  ['updateRisk', 'The likelihood of the phishing risk went down to two'],
  ['listRisks', 'What are our worst risks right now?'],
  ['addRisk', 'Write down a new threat: our only database expert may quit'],
  ['addEvidence', 'Attach the report of the penetration test to the firewall measure'],
  ['listChanges', 'Prove to me that nobody tampered with the history'],
  ['importRecords', 'Load the forty rows of this spreadsheet into the register'],
  ['updateMeasure', 'The training for new employees is in place now'],
  ['listMeasures', 'Which security measures are late?'],
  ['addFramework', 'We want to start with ISO 27001'],
  ['updateControl', 'Control 8.13 does not apply to us because we have no data centre'],
  ['listControls', 'Which controls have no measure behind them?'],
  ['addAudit', 'Plan an internal inspection of the warehouse in March'],
  ['listAudits', 'When is the next certification audit?'],
  ['addObligation', 'The lawyer says that a new regulation on batteries concerns us'],
  ['listObligations', 'Which laws must we follow and who is responsible for each?'],
  ['linkRecords', 'Connect the supplier’s risk with the encryption measure'],
  ['archiveRecords', 'Delete the duplicate vendor'],
  ['listNonconformities', 'What is still open from the findings of the last audit?'],
  ['getRecords', 'Read me all details of R-012 as it was in January'],
] as const;

const test = suite('tools found by words');

for (const [name, requests] of [
  ['docs/requests.md', REQUESTS],
  ['other wordings', OTHER_WORDINGS],
] as const) {
  test(`a keyword search finds the tools for the requests of ${name}`, () => {
    const search = keywordSearch(ALL_TOOLS);
    const missed = requests.filter(([tool, request]) => !search(request).slice(0, FIRST).includes(tool));
    const found = requests.length - missed.length;
    console.log(`${name}: ${found} of ${requests.length}`);
    assert.is(requests.length, 25);
    assert.ok(
      found >= MIN_FOUND,
      missed.map(([tool, request]) => `${tool}: ${request} (${search(request).slice(0, FIRST)})`).join('\n'),
    );
  });
}

test('the search weighs rare words more, and splits names at capitals', () => {
  const search = keywordSearch([
    { name: 'listRisks', description: 'List the risks of the register.' },
    { name: 'listVendors', description: 'List the vendors of the register.' },
    { name: 'getReport', description: 'Generate a report.' },
  ]);
  assert.equal(search('the vendors'), ['listVendors', 'listRisks']);
  assert.equal(search('Report?'), ['getReport']);
  assert.equal(search('nothing'), []);
});

test('no description copies a request', () => {
  for (const { name, description } of ALL_TOOLS) {
    const text = wordsIn(description).join(' ');
    for (const [, request] of [...REQUESTS, ...OTHER_WORDINGS]) {
      const words = wordsIn(request);
      const copied = words.some((_, at) => at + 5 <= words.length && text.includes(words.slice(at, at + 5).join(' ')));
      assert.not(copied, `${name}: ${request}`);
    }
  }
});

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

test.run();
