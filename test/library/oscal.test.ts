import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { monotonicMs } from '../../src/clock/monotonic.ts';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { parseJsonDocument } from '../../src/library/formats/parse-document.ts';
import { readOscalCatalog } from '../../src/library/oscal/oscal-catalog.ts';
import { oscalSourceOf } from '../../src/library/oscal/oscal-document.ts';

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

/** The group of each control, and the control that it is part of. */
const TOY_PLACES = [
  [undefined, undefined],
  ['Lamp', undefined],
  ['Lamp', 'LA-1'],
  ['Lamp', 'LA-01(01)'],
  ['Horn › Fog', undefined],
  ['Horn › Fog', 'HO.FO'],
];

/** Reads a catalog in JSON. */
function readCatalog(json: string, { withText = false } = {}) {
  const source = oscalSourceOf(parseJsonDocument(json));
  if (source === null || !('catalog' in source)) throw new Error('the file is no catalog');
  return readOscalCatalog(source.catalog, withText);
}

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
    readCatalog(json);
  } catch (error) {
    assert.instance(error, Refusal);
    assert.is((error as Refusal).code, 'invalid_input');
    return error as Refusal;
  }
  throw new Error('the catalog was not refused');
}

const oscal = suite('OSCAL catalogs');

oscal('readOscalCatalog returns title, version and controls at every depth, without withdrawn ones', () => {
  const { controls, notices, ...rest } = readCatalog(toy);
  assert.equal(rest, {
    name: 'Rules of the Lighthouse',
    version: '2.1',
    note: 'Withdrawn by the publisher and not adopted (2):\nLA-1(2) Whale oil\nHO.FO-02 HO.FO-02',
  });
  assert.equal(
    controls.map(({ section_title, name }) => ({ section_title, name })),
    TOY_CONTROLS,
  );
  assert.equal(notices, ['Withdrawn controls were left out, the note lists them (2): LA-1(2), HO.FO-02.']);
});

oscal('readOscalCatalog keeps groups, and the control that another one is part of', () => {
  const { controls } = readCatalog(toy);
  assert.equal(
    controls.map(({ group, parent }) => [group, parent]),
    TOY_PLACES,
  );
});

oscal('readOscalCatalog returns statements as descriptions on request', () => {
  const descriptions = readCatalog(toy, { withText: true }).controls.map(({ description }) => description);
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
  const [control] = readCatalog(json, { withText: true }).controls;
  assert.match(control!.description!, /^\[one of: \[one of: .*\[p\]+$/);
});

oscal('an OSCAL catalog may have controls without a group', () => {
  const controls = readCatalog(catalog([{ id: 'c-1', title: 'One' }])).controls;
  assert.equal(controls, [{ section_title: 'c-1', name: 'One' }]);
});

oscal('readOscalCatalog shortens a statement used as a name at a word', () => {
  const json = catalog([{ id: 'X', title: 'X', parts: [{ name: 'statement', prose: 'lantern '.repeat(40) }] }]);
  const [control] = readCatalog(json).controls;
  assert.ok(control!.name.length <= 200);
  assert.match(control!.name, /^(lantern )+lantern…$/);
});

oscal('a word that is too long for a name is not cut within a character', () => {
  const title = `x${'🕯'.repeat(150)}`;
  const [control] = readCatalog(catalog([{ id: 'X', title }])).controls;
  assert.ok(control!.name.isWellFormed());
  assert.match(control!.name, /^x(🕯)+…$/u);
});

oscal('a text has the constraints and values that the publisher assigns', () => {
  const params = [
    { id: 'limited', label: 'time period', constraints: [{ description: ' twenty-four\n(24) hours ' }] },
    { id: 'chosen', select: { choice: ['daily', 'weekly'] }, constraints: [{ description: 'at least weekly' }] },
    { id: 'set', label: 'person', values: ['the keeper', 'the mate'] },
    { id: 'guided', guidelines: [{ prose: 'the colour is defined;' }] },
    { id: 'both', label: 'organization-defined frequency', props: [{ name: 'aggregates', value: 'limited' }] },
    { id: 'open', label: 'oil', constraints: [{ description: ' ' }], values: [] },
  ];
  const prose = 'In {{ limited }}, {{ chosen }}, by {{ set }}, {{ guided }}, {{ both }}, {{ open }}.';
  const { controls, notices } = readCatalog(catalogWithStatement({ prose }, params), { withText: true });
  assert.is(
    controls[0]!.description,
    'In [time period: twenty-four (24) hours], [one of: daily; weekly: at least weekly], by [the keeper, the mate], ' +
      '[the colour is defined;], [organization-defined frequency: twenty-four (24) hours], [oil].',
  );
  assert.equal(notices, [
    'The catalog assigns no value to 2 of the 6 parameters in the texts. They stand in square brackets.',
  ]);
});

oscal('a text has line feeds for line separators, and no links within the catalog', () => {
  const json = catalogWithStatement({ prose: 'See [LA-1](#la-1).\u2028Or [x](https://lighthouse.example).\u0085End' });
  const [control] = readCatalog(json, { withText: true }).controls;
  assert.is(control!.description, 'See LA-1.\nOr [x](https://lighthouse.example).\nEnd');
});

oscal('a text has the titles of its parts', () => {
  const part = {
    prose: 'Do it.',
    parts: [{ name: 'item', title: 'Further', parts: [{ name: 'item', prose: 'More.' }] }],
  };
  const [control] = readCatalog(catalogWithStatement(part), { withText: true }).controls;
  assert.is(control!.description, 'Do it.\n  Further\n    More.');
});

oscal('a title over 200 characters is shortened, and the description begins with the whole', () => {
  const title = 'wick '.repeat(50).trim();
  const json = catalog([{ id: 'a', title, parts: [{ name: 'statement', prose: 'Trim it.' }] }]);
  for (const [withText, description] of [
    [false, title],
    [true, `${title}\n\nTrim it.`],
  ] as const) {
    const { controls, notices } = readCatalog(json, { withText });
    const name = `${'wick '.repeat(39).trim()}…`;
    assert.equal(controls, [{ section_title: 'a', name, description }]);
    assert.match(notices[0]!, /^Titles of more than 200 characters were shortened.* \(1\): a\.$/);
  }
});

oscal('a control without a title has the first line of its text, or else its number', () => {
  const text = [{ name: 'statement', prose: 'Trim the wick.' }];
  const { controls, notices } = readCatalog(
    catalog([
      { id: 'a', parts: text },
      { id: 'b', title: ' ' },
      { id: 'c', title: 'Control: c', parts: text },
    ]),
  );
  assert.equal(
    controls.map(({ name }) => name),
    ['Trim the wick.', 'b', 'Trim the wick.'],
  );
  assert.equal(notices, [
    'Controls without a title got the first words of their text, or else their number (2): a, b.',
  ]);
});

oscal('numbers that differ only in case get numbers behind them', () => {
  const { controls, notices } = readCatalog(
    catalog([
      { id: 'D3-Lamp', title: 'One' },
      { id: 'D3-lamp', title: 'Two' },
      { id: 'D3-LAMP', title: 'Three' },
      { id: 'd3-lamp (4)', title: 'Four' },
    ]),
  );
  assert.equal(
    controls.map(({ section_title }) => section_title),
    ['D3-Lamp', 'D3-lamp (2)', 'D3-LAMP (3)', 'd3-lamp (4)'],
  );
  assert.match(notices[0]!, /only in case.* \(2\): D3-lamp as D3-lamp \(2\), D3-LAMP as D3-LAMP \(3\)\.$/);
});

oscal('a control that the file repeats is left out, and one with another text is not', () => {
  const lamp = { id: 'a', title: 'Lamp' };
  const { controls, notices } = readCatalog(catalog([lamp, { id: 'b', title: 'Lamp' }, lamp]));
  assert.equal(
    controls.map(({ section_title }) => section_title),
    ['a', 'b'],
  );
  assert.equal(notices, ['Entries that repeat another one exactly were left out (1): a.']);
  const other = { ...lamp, parts: [{ name: 'statement', prose: 'Another text' }] };
  assert.match(refusalOf(catalog([lamp, other])).message, /control a has the same number a as control a/);
});

oscal('a note with too many withdrawn controls has only their numbers', () => {
  const withdrawn = Array.from({ length: 200 }, (_, n) => ({
    id: `w-${n}`,
    title: 'x'.repeat(100),
    props: [{ name: 'status', value: 'withdrawn' }],
  }));
  const { note } = readCatalog(catalog([{ id: 'a', title: 'A' }, ...withdrawn]));
  assert.match(note!, /^Withdrawn by the publisher and not adopted \(200\): w-0, w-1, .*, w-199$/);
});

oscal('a withdrawn control with characters that are not text is refused, because the note would have them', () => {
  const withdrawn = { id: 'w', title: 'Lamp\u202e', props: [{ name: 'status', value: 'withdrawn' }] };
  assert.match(refusalOf(catalog([{ id: 'a', title: 'A' }, withdrawn])).message, /control w .*not text/);
});

for (const [content, json, message] of [
  ['a catalog without metadata', '{"catalog": {}}', /not a valid OSCAL catalog \(catalog\.metadata: /],
  [
    'a profile without imports',
    '{"profile": {"metadata": {"title": "P", "version": "1"}}}',
    /profile \(profile\.imports/,
  ],
  [
    'another OSCAL document',
    '{"component-definition": {}}',
    /OSCAL component-definition.* Choose a catalog or a profile/,
  ],
  ['a catalog without controls', catalog([]), /no controls/],
  [
    'a catalog of withdrawn controls only',
    catalog([{ id: 'a', title: 'A', props: [{ name: 'status', value: 'withdrawn' }] }]),
    /no controls/,
  ],
  ['a control without an id', catalog([{ title: 'A' }]), /catalog\.controls\.0\.id/],
  ['a number over 200 characters', catalog([{ id: 'a'.repeat(201), title: 'A' }]), /number of 201 characters/],
  ['a control character', catalog([{ id: 'a', title: 'x\u0007' }]), /control a has a title with a character/],
  ['a hidden character', catalog([{ id: 'a', title: 'x\u{e0041}' }]), /control a has a title with a character/],
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

oscal('texts that parameters make explode are refused by their characters, not by their depth', () => {
  const placeholder = '{{ insert: param, p }}';
  const choices = (count: number) => Array.from({ length: count }, () => placeholder);
  const read = (params: readonly object[], prose = placeholder) =>
    refusalOf(catalogWithStatement({ name: 'statement', prose }, params));
  const itself = [{ id: 'p', select: { choice: choices(100) } }];
  const started = monotonicMs();
  assert.match(read(itself).message, /more than 16 million characters/);
  const longValue = [{ id: 'p', values: ['x'.repeat(100_000)] }];
  assert.match(read(longValue, placeholder.repeat(200)).message, /more than 16 million characters/);
  const aggregates = Array.from({ length: 200 }, () => ({ name: 'aggregates', value: 'q' }));
  const aggregate = [
    { id: 'p', props: aggregates },
    { id: 'q', values: ['x'.repeat(100_000)] },
  ];
  assert.match(read(aggregate).message, /more than 16 million characters/);
  assert.ok(monotonicMs() - started < 10_000, 'the refusal comes early');
});

oscal.run();
