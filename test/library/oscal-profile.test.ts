import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { readFrameworkFile } from '../../src/library/framework-file.ts';
import { fitsPattern } from '../../src/library/oscal/oscal-profile.ts';

const folder = mkdtempSync(join(tmpdir(), 'veritrail-profiles-'));

const metadata = { title: 'Rules', version: '1' };
const label = (value: string) => [{ name: 'label', value }];

const CATALOG = {
  catalog: {
    metadata,
    groups: [
      {
        id: 'lamp',
        title: 'Lamp',
        params: [{ id: 'hour', label: 'hour' }],
        controls: [
          {
            id: 'la-1',
            title: 'Lighting up',
            props: label('LA-1'),
            params: [{ id: 'who', label: 'person', constraints: [{ description: 'a keeper' }] }],
            parts: [
              {
                id: 'la-1_smt',
                name: 'statement',
                prose: '{{ who }} lights it at {{ hour }}.',
                parts: [{ id: 'la-1_smt.a', name: 'item', props: label('a.'), prose: 'With a match.' }],
              },
              { id: 'la-1_gdn', name: 'guidance', prose: 'Dry ones.' },
            ],
            controls: [
              { id: 'la-1.1', title: 'Spare lamp', props: label('LA-1(1)') },
              { id: 'la-1.2', title: 'Spare wick', props: label('LA-1(2)') },
            ],
          },
          { id: 'la-2', title: 'Cleaning', props: label('LA-2') },
        ],
      },
      { id: 'horn', title: 'Horn', controls: [{ id: 'ho-1', title: 'Sounding', props: label('HO-1') }] },
    ],
  },
};

function save(name: string, document: object): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify(document));
  return path;
}

function readProfile(profile: object, catalogs: readonly string[] = [], name = 'profile.json') {
  const path = save(name, { profile: { metadata: { title: 'Baseline', version: '2' }, ...profile } });
  return readFrameworkFile(path, { withText: true, catalogs, table: {} });
}

async function numbersOf(profile: object): Promise<string[]> {
  const { controls } = await readProfile(profile);
  return controls.map(({ section_title }) => section_title);
}

async function refusalOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
  } catch (error) {
    assert.instance(error, Refusal, String(error));
    return (error as Refusal).message;
  }
  throw new Error('the profile was not refused');
}

const profiles = suite('OSCAL profiles');
profiles.before(() => void save('catalog.json', CATALOG));
profiles.after(() => rmSync(folder, { recursive: true }));

const href = 'catalog.json';
const withIds = (...ids: string[]) => ({ 'with-ids': ids });

for (const [selection, imported, numbers] of [
  ['all without a selection', {}, ['LA-1', 'LA-1(1)', 'LA-1(2)', 'LA-2', 'HO-1']],
  ['all with include-all', { 'include-all': {} }, ['LA-1', 'LA-1(1)', 'LA-1(2)', 'LA-2', 'HO-1']],
  ['controls by id', { 'include-controls': [withIds('la-1', 'ho-1')] }, ['LA-1', 'HO-1']],
  ['a control without its parent', { 'include-controls': [withIds('la-1.2')] }, ['LA-1(2)']],
  [
    'a control with those inside it',
    { 'include-controls': [{ ...withIds('la-1'), 'with-child-controls': 'yes' }] },
    ['LA-1', 'LA-1(1)', 'LA-1(2)'],
  ],
  ['controls by a pattern', { 'include-controls': [{ matching: [{ pattern: 'la-?' }] }] }, ['LA-1', 'LA-2']],
  ['all but some', { 'exclude-controls': [withIds('la-1')] }, ['LA-1(1)', 'LA-1(2)', 'LA-2', 'HO-1']],
  [
    'some but others',
    { 'include-controls': [{ matching: [{ pattern: 'la*' }] }], 'exclude-controls': [withIds('la-1.1')] },
    ['LA-1', 'LA-1(2)', 'LA-2'],
  ],
] as const) {
  profiles(`a profile selects ${selection}`, async () => {
    assert.equal(await numbersOf({ imports: [{ href, ...imported }] }), numbers);
  });
}

profiles('a profile imports a limited number of documents in all', async () => {
  const importing = (count: number, ...names: string[]) =>
    names.flatMap((name) =>
      Array.from({ length: count }, () => ({ href: name, 'include-controls': [withIds('la-1')] })),
    );
  const inner = { metadata: { title: 'Inner', version: '1' }, imports: importing(9, href) };
  save('inner.json', { profile: inner });
  const merge = { combine: { method: 'use-first' } };
  assert.equal(await numbersOf({ imports: importing(10, 'inner.json'), merge }), ['LA-1']);
  const refusal = await refusalOf(readProfile({ imports: importing(11, 'inner.json'), merge }));
  assert.is(refusal, 'The profile imports more than 100 documents in all.');
});

profiles('a profile has its own name and version, and keeps groups', async () => {
  const { name, version, controls, notices } = await readProfile({
    imports: [{ href, 'include-controls': [withIds('la-1.1', 'ho-1', 'zz-9')] }],
    merge: { 'as-is': true },
  });
  assert.equal([name, version], ['Baseline', '2']);
  assert.equal(
    controls.map(({ group, parent }) => [group, parent]),
    [
      ['Lamp', undefined],
      ['Horn', undefined],
    ],
  );
  assert.equal(notices, ['The profile selects controls that its catalog doesn’t have: zz-9.']);
});

profiles('a profile sets values, constraints and selections of parameters', async () => {
  const { controls, notices } = await readProfile({
    imports: [{ href, 'include-controls': [withIds('la-1')] }],
    modify: {
      'set-parameters': [
        { 'param-id': 'who', constraints: [{ description: 'two keepers' }] },
        { 'param-id': 'hour', select: { choice: ['dusk', 'six'] } },
        { 'param-id': 'nobody', values: ['x'] },
      ],
    },
  });
  assert.is(controls[0]!.description, '[person: two keepers] lights it at [one of: dusk; six].\n  a. With a match.');
  assert.ok(notices.includes('The profile changes what it doesn’t select: nobody.'));
});

profiles('a profile adds to controls and removes from them', async () => {
  const item = (prose: string) => ({ parts: [{ name: 'item', prose }] });
  const { controls } = await readProfile({
    imports: [{ href, 'include-controls': [withIds('la-1')] }],
    modify: {
      alters: [
        {
          'control-id': 'la-1',
          removes: [{ 'by-id': 'la-1_gdn' }, { 'by-name': 'label', 'by-item-name': 'prop' }, {}],
          adds: [
            { 'by-id': 'la-1_smt', position: 'ending', ...item('Last.') },
            { 'by-id': 'la-1_smt', position: 'starting', ...item('First.') },
            { 'by-id': 'la-1_smt.a', position: 'before', ...item('Before.') },
            { 'by-id': 'la-1_smt.a', position: 'after', ...item('After.') },
            { position: 'starting', title: 'Lighting the lamp', props: label('LA-01') },
          ],
        },
      ],
    },
  });
  assert.equal(controls[0], {
    section_title: 'LA-01',
    name: 'Lighting the lamp',
    group: 'Lamp',
    description: [
      '[person: a keeper] lights it at [hour].',
      ...['  First.', '  Before.', '  With a match.', '  After.', '  Last.'],
    ].join('\n'),
  });
});

profiles('a profile arranges controls in groups of its own', async () => {
  const { controls } = await readProfile({
    imports: [{ href }],
    merge: {
      custom: {
        groups: [
          { title: 'Night', 'insert-controls': [{ 'include-controls': [withIds('la-1', 'la-1.1')] }] },
          {
            title: 'Fog',
            groups: [{ title: 'Horns', 'insert-controls': [{ 'include-controls': [withIds('ho-1')] }] }],
          },
        ],
      },
    },
  });
  assert.equal(
    controls.map(({ section_title, group, parent }) => [section_title, group, parent]),
    [
      ['LA-1', 'Night', undefined],
      ['LA-1(1)', 'Night', 'LA-1'],
      ['HO-1', 'Fog › Horns', undefined],
    ],
  );
  assert.match(controls[0]!.description!, /at \[hour\]/);
});

profiles('a control that two imports select is there once', async () => {
  save('other.json', { catalog: { metadata, controls: [{ id: 'la-2', title: 'Other', props: label('LA-2') }] } });
  const imports = [{ href }, { href: 'other.json' }];
  assert.match(await refusalOf(readProfile({ imports })), /control la-2 has the same number LA-2/);
  const useFirst = await readProfile({ imports, merge: { combine: { method: 'use-first' } } });
  assert.is(useFirst.controls.filter(({ section_title }) => section_title === 'LA-2').length, 1);
  const twice = await readProfile({ imports: [{ href }, { href }] });
  assert.is(twice.controls.length, 5);
});

profiles('a profile may import another one, each relative to its own folder', async () => {
  save('baselines/inner.json', {
    profile: {
      metadata,
      imports: [{ href: '../catalog.json', 'include-controls': [{ matching: [{ pattern: 'la*' }] }] }],
      modify: { 'set-parameters': [{ 'param-id': 'hour', values: ['six'] }] },
    },
  });
  const { controls } = await readProfile({
    imports: [{ href: '#inner', 'include-controls': [withIds('la-1')] }],
    'back-matter': { resources: [{ uuid: 'inner', rlinks: [{ href: 'baselines/inner.json' }] }] },
  });
  assert.match(controls[0]!.description!, /at \[six\]/);
});

profiles('a catalog that is elsewhere is given by its file', async () => {
  const address = 'https://lighthouse.example/rules%20of/catalog.json';
  const imports = [{ href: address }];
  assert.match(await refusalOf(readProfile({ imports })), /https:.*not on this machine.*--catalog FILE/);
  const byName = await readProfile({ imports }, [save('elsewhere/catalog.json', CATALOG)]);
  assert.is(byName.controls.length, 5);
  const only = await readProfile({ imports }, [save('elsewhere/renamed.json', CATALOG)]);
  assert.is(only.controls.length, 5);
});

profiles('readFrameworkFile rejects profiles that cannot be resolved', async () => {
  const cases: [message: RegExp, profile: object][] = [
    [/imports #nowhere, but its back matter has no link/, { imports: [{ href: '#nowhere' }] }],
    [/more than 10 profiles in a row/, { imports: [{ href: 'profile.json' }] }],
    [/other-file\.json, which the profile imports, is not an OSCAL/, { imports: [{ href: 'other-file.json' }] }],
    [/no controls/, { imports: [{ href, 'include-controls': [withIds('none')] }] }],
  ];
  save('other-file.json', { rows: [] });
  for (const [message, profile] of cases) assert.match(await refusalOf(readProfile(profile)), message);
});

profiles('a pattern stands for any characters, in bounded time', () => {
  for (const [text, pattern, fits] of [
    ['ac-2.1', 'ac-2*', true],
    ['ac-2', 'ac-2*', true],
    ['ac-2.1', '*.1', true],
    ['ac-2.11', '*.1', false],
    ['ac-2', 'ac-?', true],
    ['ac-20', 'ac-?', false],
    ['ac-2', 'AC-2', false],
    ['', '*', true],
    ['a'.repeat(10_000), `${'*a'.repeat(50)}*b`, false],
  ] as const) {
    assert.is(fitsPattern(text, pattern), fits, `${text.slice(0, 20)} ${pattern.slice(0, 20)}`);
  }
});

profiles('a profile that changes one control too often is refused', async () => {
  const alters = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      'control-id': 'la-2',
      adds: [{ props: [{ name: 'mark', value: String(n) }] }],
    }));
  const read = (count: number) => readProfile({ imports: [{ href }], modify: { alters: alters(count) } });
  await read(1_000);
  assert.match(await refusalOf(read(1_001)), /changes la-2 more than 1000 times/);
});

profiles.run();
