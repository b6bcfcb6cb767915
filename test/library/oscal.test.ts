import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { readOscalCatalog } from '../../src/library/oscal-catalog.ts';

const TOY = fileURLToPath(new URL('toy-catalog.json', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../../scripts/library-from-oscal.ts', import.meta.url));
const toy = readFileSync(TOY, 'utf8');

const TOY_CONTROLS = [
  { section_title: 'lh-0', name: 'The log is kept' },
  { section_title: 'LA-1', name: 'Lighting up' },
  { section_title: 'LA-01(01)', name: 'Spare lamp' },
  { section_title: 'LA-1(1)a', name: 'Spare wick' },
  { section_title: 'HO.FO', name: 'Fog signals' },
  { section_title: 'HO.FO-01', name: 'The horn sounds in fog' },
];

/** Returns a catalog file with these controls. */
function catalog(controls: readonly object[], overrides: object = {}): string {
  return JSON.stringify({ catalog: { metadata: { title: 'T', version: '1' }, controls, ...overrides } });
}

/** Returns a catalog of one control whose only statement is this part. */
function catalogWithStatement(part: object, params: readonly object[] = []): string {
  return catalog([{ id: 'c-1', title: 'One', params, parts: [{ name: 'statement', ...part }] }]);
}

function refusalOf(json: string): Refusal {
  try {
    readOscalCatalog(json);
  } catch (error) {
    assert.instance(error, Refusal);
    assert.is((error as Refusal).code, 'invalid_input');
    return error as Refusal;
  }
  throw new Error('the catalog was not refused');
}

const oscal = suite('OSCAL catalogs');

oscal('readOscalCatalog returns title, version and controls at every depth, without withdrawn ones', () => {
  assert.equal(readOscalCatalog(toy), { name: 'Rules of the Lighthouse', version: '2.1', controls: TOY_CONTROLS });
});

oscal('readOscalCatalog returns statements as descriptions on request', () => {
  const descriptions = readOscalCatalog(toy, { withText: true }).controls.map(({ description }) => description);
  const lamp = [
    'a. The [keeper on duty] lights the lamp:',
    '  1. [one or more of: at dusk; when [keeper on duty] says so];',
    '  2. with [oil].',
    'b. See [nowhere].',
  ].join('\n');
  assert.equal(descriptions, [undefined, lamp, undefined, undefined, undefined, 'The horn sounds in fog']);
});

oscal('an OSCAL catalog may have placeholders that form a circle', () => {
  const json = catalogWithStatement({ prose: '{{ insert: param, p }}' }, [
    { id: 'p', select: { choice: ['{{ p }}'] } },
  ]);
  const [control] = readOscalCatalog(json, { withText: true }).controls;
  assert.match(control!.description!, /^\[one of: \[one of: .*\[p\]+$/);
});

oscal('an OSCAL catalog may begin with a byte order mark and have controls without a group', () => {
  const controls = readOscalCatalog(`\uFEFF${catalog([{ id: 'c-1', title: 'One' }])}`).controls;
  assert.equal(controls, [{ section_title: 'c-1', name: 'One' }]);
});

oscal('readOscalCatalog shortens a statement used as a name at a word', () => {
  const json = catalog([{ id: 'X', title: 'X', parts: [{ name: 'statement', prose: 'lantern '.repeat(40) }] }]);
  const [control] = readOscalCatalog(json).controls;
  assert.ok(control!.name.length <= 200);
  assert.match(control!.name, /^(lantern )+lantern…$/);
});

for (const [content, json, message] of [
  ['text that is not JSON', '<catalog/>', /not JSON/],
  ['another JSON file', '{"rows": []}', /not an OSCAL catalog \(catalog: /],
  ['a list', '[]', /not an OSCAL catalog \(top level: /],
  ['another OSCAL document', '{"profile": {}}', /OSCAL profile, not a catalog/],
  ['a catalog without controls', catalog([]), /no controls/],
  [
    'a catalog of withdrawn controls only',
    catalog([{ id: 'a', title: 'A', props: [{ name: 'status', value: 'withdrawn' }] }]),
    /no controls/,
  ],
  ['a control without a title', catalog([{ id: 'a' }]), /catalog\.controls\.0\.title/],
  ['a control with an empty title', catalog([{ id: 'a', title: ' ' }]), /control a has no title/],
  ['a title over 200 characters', catalog([{ id: 'a', title: 'x'.repeat(201) }]), /title of 201 characters/],
  ['a control character', catalog([{ id: 'a', title: 'x\u0007' }]), /control a has a title with a character/],
  ['a lone surrogate', catalog([{ id: 'a', title: 'x\uD800y' }]), /control a has a title with a character/],
] as const) {
  oscal(`readOscalCatalog rejects ${content}`, () => assert.match(refusalOf(json).message, message));
}

oscal('readOscalCatalog rejects duplicate identifiers and names all of them', () => {
  const duplicateLabel = [{ name: 'label', value: 'A.1' }];
  const refusal = refusalOf(
    catalog([
      { id: 'a', title: 'A', props: duplicateLabel },
      { id: 'b', title: 'B', props: duplicateLabel },
      { id: 'c', title: 'C', props: duplicateLabel },
    ]),
  );
  assert.equal(refusal.more.issues, [
    { field: 'control b', message: 'has the same number A.1 as control a' },
    { field: 'control c', message: 'has the same number A.1 as control a' },
  ]);
});

oscal('scripts/library-from-oscal.ts turns a catalog into a library file', () => {
  const output = execFileSync(process.execPath, ['--import', 'tsx', SCRIPT, TOY], { encoding: 'utf8' });
  const { library_id, version, controls } = JSON.parse(output);
  assert.equal(
    { library_id, version, controls },
    {
      library_id: 'NIST_800_53_R5_HIGH',
      version: '2.1',
      controls: TOY_CONTROLS,
    },
  );
});

oscal.run();
