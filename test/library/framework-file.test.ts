import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { readFrameworkFile } from '../../src/library/framework-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'veritrail-frameworks-'));

function save(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

interface ReadOptions {
  withText?: boolean;
  catalogs?: readonly string[];
}

function read(name: string, content: string, { withText = true, catalogs = [] }: ReadOptions = {}) {
  return readFrameworkFile(save(name, content), { withText, catalogs, table: {} });
}

async function refusalOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
  } catch (error) {
    assert.instance(error, Refusal, String(error));
    return (error as Refusal).message;
  }
  throw new Error('the file was not refused');
}

const files = suite('framework files');
files.after(() => rmSync(folder, { recursive: true }));

const XML = `<?xml version="1.0"?>
<?xml-model href="schema.xsd"?>
<catalog xmlns="http://csrc.nist.gov/ns/oscal/1.0" uuid="5e8f6c1e-6d2b-4a8c-9f0e-0c1d2e3f4a5b">
  <metadata><title>Rules of the <em>Lighthouse</em></title><version>2.1</version></metadata>
  <group id="lamp">
    <title>Lamp</title>
    <control id="la-1">
      <title>Lighting up &amp; more</title>
      <param id="when"><label>time</label><constraint><description><p>at dusk</p></description></constraint></param>
      <param id="who"><select how-many="one-or-more"><choice>the <insert type="param" id-ref="when"/> keeper</choice></select></param>
      <prop name="label" value="LA-1"/>
      <part name="statement" id="la-1_smt">
        <p>The lamp is lit <insert type="param" id-ref="when"/> by
          <insert type="param" id-ref="who"/>:</p>
        <ul><li>with oil</li><li><p>and a <a href="#x">match</a></p><ul><li>dry</li></ul></li></ul>
        <table><tr><th>Oil</th><th>Use</th></tr><tr><td>Whale</td><td>never</td></tr></table>
        <part name="item" id="la-1_smt.a"><prop name="label" value="a."/><p>Trim the wick.</p></part>
      </part>
      <control id="la-1.1"><title>Spare lamp</title><prop name="label" value="LA-1(1)"/></control>
    </control>
    <control id="la-2"><title>Whales</title><prop name="status" value="withdrawn"/></control>
  </group>
</catalog>`;

files('an OSCAL catalog in XML is read with groups, parameters and lists', async () => {
  const { notices: _notices, ...reading } = await read('catalog.xml', XML);
  const description = [
    'The lamp is lit [time: at dusk] by [one or more of: the [time: at dusk] keeper]:',
    '',
    '- with oil',
    '- and a match',
    '- dry',
    '',
    'Oil | Use',
    'Whale | never',
    '  a. Trim the wick.',
  ].join('\n');
  assert.equal(reading, {
    name: 'Rules of the Lighthouse',
    version: '2.1',
    controls: [
      { section_title: 'LA-1', name: 'Lighting up & more', description, group: 'Lamp' },
      { section_title: 'LA-1(1)', name: 'Spare lamp', group: 'Lamp', parent: 'LA-1' },
    ],
    note: 'Withdrawn by the publisher and not adopted (1):\nla-2 Whales',
  });
});

files('an OSCAL catalog in YAML is the same as in JSON', async () => {
  const yaml = `# The rules
catalog:
  metadata: { title: Rules, version: 1.10 }
  controls:
    - id: "la-1"
      title: Lighting up
      params: [{ id: when, label: time, values: [dusk] }]
      parts:
        - &statement { name: statement, prose: "The lamp is lit at {{ insert: param, when }}." }
    - { id: la-2, title: 4.10, parts: [*statement] }
`;
  const expected = {
    name: 'Rules',
    version: '1.10',
    controls: [
      { section_title: 'la-1', name: 'Lighting up', description: 'The lamp is lit at [dusk].' },
      { section_title: 'la-2', name: '4.10', description: 'The lamp is lit at [dusk].' },
    ],
    note: null,
    notices: [],
  };
  assert.equal(await read('catalog.yaml', yaml), expected);
  assert.equal(await read('catalog-without-extension', yaml), expected);
});

files('a file may begin with a byte order mark', async () => {
  const json = '{"catalog": {"metadata": {"title": "T", "version": "1"}, "controls": [{"id": "a", "title": "A"}]}}';
  for (const [name, content] of [
    ['marked.json', json],
    ['marked.yml', json],
    ['marked.xml', XML],
  ] as const) {
    assert.ok((await read(name, `\uFEFF${content}`)).controls.length > 0, name);
  }
});

const LIBRARY = `urn: urn:lighthouse:risk:library:rules
locale: en
ref_id: RULES
name: Library of rules
version: 3
objects:
  framework:
    urn: urn:lighthouse:risk:framework:rules
    name: Rules of the Lighthouse
    requirement_nodes:
      - { urn: "urn:n:4", assessable: false, depth: 1, ref_id: "4", name: Lamp }
      - { urn: "urn:n:4.10", assessable: true, depth: 2, parent_urn: "urn:n:4", ref_id: 4.10, name: Lighting up, description: null }
      - { urn: "urn:lighthouse:risk:req_node:rules:4.10:wick", assessable: true, depth: 3, parent_urn: "urn:n:4.10", description: "Trim the wick.\\nDaily." }
      - { urn: "urn:n:5", assessable: false, depth: 1, description: "Horn and bell" }
      - { urn: "urn:n:5.1", assessable: true, depth: 2, parent_urn: "urn:n:5", ref_id: 5.1, name: The horn sounds, description: In fog. }
`;

files('a library of CISO Assistant becomes controls under its headings', async () => {
  assert.equal(await read('library.yaml', LIBRARY), {
    name: 'Rules of the Lighthouse',
    version: '3',
    controls: [
      { section_title: '4.10', name: 'Lighting up', group: '4 Lamp' },
      {
        section_title: '4.10:wick',
        name: 'Trim the wick.',
        description: 'Trim the wick.\nDaily.',
        group: '4 Lamp',
        parent: '4.10',
      },
      { section_title: '5.1', name: 'The horn sounds', description: 'In fog.', group: 'Horn and bell' },
    ],
    note: null,
    notices: ['Controls without a title got the first words of their text, or else their number (1): 4.10:wick.'],
  });
});

files('numbers that a library of CISO Assistant repeats are those of its URNs', async () => {
  const repeated = LIBRARY.replace('"urn:n:5.1"', '"urn:lighthouse:risk:req_node:rules:article-5:1"').replace(
    'ref_id: 5.1',
    'ref_id: 4.10',
  );
  const { controls } = await read('repeated.yaml', repeated);
  assert.equal(
    controls.map(({ section_title, parent }) => [section_title, parent]),
    [
      ['urn:n:4.10', undefined],
      ['4.10:wick', 'urn:n:4.10'],
      ['article-5:1', undefined],
    ],
  );
});

files('a library of CISO Assistant whose nodes form a circle is read all the same', async () => {
  const circle = LIBRARY.replace('depth: 1, ref_id: "4"', 'depth: 1, parent_urn: "urn:n:4", ref_id: "4"');
  const { controls } = await read('circle.yaml', circle);
  assert.is(controls.length, 3);
});

files('an OpenControl standard becomes controls under their families', async () => {
  const standard = `name: Rules
L-1: { family: Lamp, name: Lighting up, description: "At dusk." }
L-2:
  family: Lamp
  name: Trim the wick
`;
  assert.equal(await read('standard.yaml', standard), {
    name: 'Rules',
    version: null,
    controls: [
      { section_title: 'L-1', name: 'Lighting up', description: 'At dusk.', group: 'Lamp' },
      { section_title: 'L-2', name: 'Trim the wick', group: 'Lamp' },
    ],
    note: null,
    notices: [],
  });
});

/** A YAML file whose few lines stand for 9 to the power of 12 values. */
const ALIAS_BOMB = Array.from({ length: 12 }, (_, n) =>
  n === 0
    ? 'a0: &a0 [x,x,x,x,x,x,x,x,x]'
    : `a${n}: &a${n} [${Array(9)
        .fill(`*a${n - 1}`)
        .join(',')}]`,
).join('\n');
const LARGE_ALIASES = `a: &a [${'x,'.repeat(10_000)}]\nb: [${'*a,'.repeat(900)}]`;
/** A YAML file whose aliases stand for more values than an array can have. */
const HUGE_ALIASES = `a: &a [${'x,'.repeat(200_000)}]\nb: [${'*a,'.repeat(900)}]`;
const ENTITY_BOMB = `<!DOCTYPE catalog [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;&a;">]>${XML.slice(XML.indexOf('<catalog'))}`;

for (const [problem, name, content, message] of [
  ['JSON that is cut off', 'cut.json', '{"catalog": ', /begins like JSON, but it is not valid/],
  ['a list in JSON', 'list.json', '[1, 2]', /is JSON, but not an object/],
  ['JSON that is nested too deeply', 'deep.json', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, /nested too deeply/],
  ['other JSON', 'other.json', '{"rows": [], "cells": []}', /is JSON with rows, cells, but no known framework.*OSCAL/],
  ['XML with a document type', 'bomb.xml', ENTITY_BOMB, /document type/],
  ['XML that is cut off', 'cut.xml', XML.slice(0, 900), /not well-formed/],
  ['XML with an unknown entity', 'entity.xml', XML.replace('&amp;', '&file;'), /not well-formed/],
  ['XML that is nested too deeply', 'deep.xml', `<catalog>${'<group>'.repeat(200)}`, /not well-formed/],
  ['other XML', 'other.xml', '<html><p>x</p></html>', /is XML with html, but no known framework/],
  ['an OSCAL SSP in XML', 'ssp.xml', '<system-security-plan/>', /OSCAL system-security-plan/],
  ['YAML with aliases that explode', 'bomb.yaml', ALIAS_BOMB, /not valid YAML: Excessive alias count/],
  ['YAML with aliases of a large list', 'large.yaml', LARGE_ALIASES, /too many values/],
  ['YAML with aliases of a huge list', 'large.yaml', HUGE_ALIASES, /too many values/],
  ['YAML that is nested too deeply', 'deep.yaml', `a: ${'['.repeat(3000)}${']'.repeat(3000)}`, /YAML/],
  ['YAML with a mistake', 'wrong.yaml', 'catalog: [a, b', /not valid YAML: /],
  ['YAML that is larger than 16 MiB', 'huge.yaml', `catalog: ${'x'.repeat(17 * 1024 * 1024)}`, /up to 16 MiB/],
  [
    'a risk matrix of CISO Assistant',
    'matrix.yaml',
    'urn: u\nobjects: { risk_matrix: [] }',
    /CISO Assistant with risk_matrix/,
  ],
  [
    'a wrong library of CISO Assistant',
    'node.yaml',
    LIBRARY.replace('urn: "urn:n:5.1"', 'u: 1'),
    /objects\.framework\.requirement_nodes\.4\.urn/,
  ],
  [
    'an OpenControl certification',
    'certification.yaml',
    'name: LOW\nstandards: { R: { L-1: {} } }',
    /OpenControl certification/,
  ],
  ['a wrong OpenControl standard', 'list.yaml', 'name: R\nL-1: { name: [a] }', /Control L-1/],
  [
    'a text that begins with many blank lines',
    'blank.txt',
    `${'\n'.repeat(4000)}x,y\n`,
    /No column has the name of a field/,
  ],
  ['a table without columns', 'table.csv', 'x\n1\n', /No column has the name of a field/],
] as const) {
  files(`readFrameworkFile rejects ${problem}`, async () => {
    assert.match(await refusalOf(read(name, content)), message);
  });
}

files('readFrameworkFile rejects a file that is absent, and a folder', async () => {
  for (const path of [join(folder, 'absent.json'), folder]) {
    const reading = readFrameworkFile(path, { withText: false, catalogs: [], table: {} });
    assert.match(await refusalOf(reading), /can’t be read/);
  }
});

files('options for tables and profiles are refused for other files', async () => {
  const path = save('plain.xml', XML);
  const table = { map: new Map([['name', 'Title']]) };
  assert.match(
    await refusalOf(readFrameworkFile(path, { withText: false, catalogs: [], table })),
    /--map.* are for tables/,
  );
  assert.match(await refusalOf(read('again.xml', XML, { catalogs: [path] })), /Leave --catalog out/);
  assert.match(await refusalOf(read('again.yaml', LIBRARY, { catalogs: [path] })), /Leave it out/);
});

files.run();
