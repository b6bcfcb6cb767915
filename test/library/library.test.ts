import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_ADOPTION_BYTES } from '../../src/commands/framework.ts';
import { LIBRARY_IDS, type LibraryId, libraryFramework, listLibrary } from '../../src/library/framework-library.ts';

const DATA = new URL('../../src/library/data/', import.meta.url);

/** Patterns of control identifiers, with the number of matching controls in each publication. */
const COUNTS: Record<LibraryId, Record<string, [pattern: RegExp, count: number]>> = {
  NIST_CSF_2_0: {
    subcategories: [/^[A-Z]{2}\.[A-Z]{2}-\d{2}$/, 106],
  },
  NIST_800_53_R5_HIGH: {
    controls: [/^[A-Z]{2}-[1-9]\d?$/, 188],
    enhancements: [/^[A-Z]{2}-[1-9]\d?\([1-9]\d?\)$/, 182],
  },
  ISO_27001_2022: {
    clauses: [/^([4-9]|10)(\.\d){1,2}$/, 30],
    organizational: [/^A\.5\.\d+$/, 37],
    people: [/^A\.6\.\d+$/, 8],
    physical: [/^A\.7\.\d+$/, 14],
    technological: [/^A\.8\.\d+$/, 34],
  },
  SOC2_2017: {
    common: [/^CC[1-9]\.\d$/, 33],
    availability: [/^A1\.\d$/, 3],
    confidentiality: [/^C1\.\d$/, 2],
    'processing integrity': [/^PI1\.\d$/, 5],
    privacy: [/^P[1-8]\.\d$/, 18],
  },
  GDPR: { articles: [/^Art\. [1-9]\d?$/, 41] },
};

/** The subcategories of each category of CSF 2.0. Identifiers that were withdrawn after 1.1 are missing. */
const CSF_SUBCATEGORIES: Record<string, number[]> = {
  'GV.OC': [1, 2, 3, 4, 5],
  'GV.RM': [1, 2, 3, 4, 5, 6, 7],
  'GV.RR': [1, 2, 3, 4],
  'GV.PO': [1, 2],
  'GV.OV': [1, 2, 3],
  'GV.SC': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  'ID.AM': [1, 2, 3, 4, 5, 7, 8],
  'ID.RA': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  'ID.IM': [1, 2, 3, 4],
  'PR.AA': [1, 2, 3, 4, 5, 6],
  'PR.AT': [1, 2],
  'PR.DS': [1, 2, 10, 11],
  'PR.PS': [1, 2, 3, 4, 5, 6],
  'PR.IR': [1, 2, 3, 4],
  'DE.CM': [1, 2, 3, 6, 9],
  'DE.AE': [2, 3, 4, 6, 7, 8],
  'RS.MA': [1, 2, 3, 4, 5],
  'RS.AN': [3, 6, 7, 8],
  'RS.CO': [2, 3],
  'RS.MI': [1, 2],
  'RC.RP': [1, 2, 3, 4, 5, 6],
  'RC.CO': [3, 4],
};

const identifiersOf = (id: LibraryId) => libraryFramework(id).controls.map(({ section_title }) => section_title);

/** Returns identifiers: upTo("A.5.", 3) is A.5.1, A.5.2, A.5.3. */
const upTo = (prefix: string, last: number) => Array.from({ length: last }, (_, index) => `${prefix}${index + 1}`);

const library = suite('the framework library');

library('the framework library has a file for each id, and no other files', () => {
  const files = readdirSync(DATA).filter((file) => file.endsWith('.json'));
  assert.equal(files.sort(), LIBRARY_IDS.map((id) => `${id}.json`).sort());
  for (const id of LIBRARY_IDS) assert.is(libraryFramework(id).library_id, id);
});

library('the framework library lists its frameworks, with their control counts', () => {
  assert.equal(
    listLibrary().map(({ library_id, control_count }) => [library_id, control_count]),
    [
      ['NIST_CSF_2_0', 106],
      ['NIST_800_53_R5_HIGH', 370],
      ['ISO_27001_2022', 123],
      ['SOC2_2017', 61],
      ['GDPR', 41],
    ],
  );
  for (const entry of listLibrary()) {
    assert.equal(Object.keys(entry).sort(), ['control_count', 'library_id', 'licence', 'name', 'publisher', 'version']);
  }
});

library('the framework library reads a file once', () => {
  assert.is(libraryFramework('GDPR'), libraryFramework('GDPR'));
});

for (const id of LIBRARY_IDS) {
  library(`${id} has the publication’s controls, and no others`, () => {
    const identifiers = identifiersOf(id);
    const patterns = Object.values(COUNTS[id]);
    for (const [pattern, count] of patterns)
      assert.is(identifiers.filter((identifier) => pattern.test(identifier)).length, count);
    assert.equal(
      identifiers.filter((identifier) => !patterns.some(([pattern]) => pattern.test(identifier))),
      [],
    );
  });

  library(`${id} has unique identifiers, and titles on one line`, () => {
    const identifiers = identifiersOf(id);
    assert.is(new Set(identifiers).size, identifiers.length);
    for (const { name, section_title } of libraryFramework(id).controls) {
      assert.ok(name.length <= 200, section_title);
      assert.match(name, /^\S[^\n\t]*[^\s.]$/, section_title);
    }
  });

  library(`${id} fits in one adoption`, () => {
    assert.ok(Buffer.byteLength(JSON.stringify(libraryFramework(id))) <= MAX_ADOPTION_BYTES);
  });
}

library('titles worded by this project are unique within a framework', () => {
  for (const id of LIBRARY_IDS.filter((candidate) => candidate !== 'NIST_800_53_R5_HIGH')) {
    const names = libraryFramework(id).controls.map(({ name }) => name);
    assert.is(new Set(names).size, names.length, id);
  }
});

library('NIST_CSF_2_0 has the subcategories of 2.0, each below its category and function', () => {
  const expected = Object.entries(CSF_SUBCATEGORIES).flatMap(([category, subcategories]) =>
    subcategories.map((number) => `${category}-${String(number).padStart(2, '0')}`),
  );
  assert.equal(identifiersOf('NIST_CSF_2_0'), expected);
  for (const { section_title, group } of libraryFramework('NIST_CSF_2_0').controls) {
    const [category] = section_title.split('-');
    assert.match(group!, new RegExp(`^${category!.slice(0, 2)} .+ › ${category} .`));
  }
});

// Coverage counts controls. A heading requires nothing that its parts don't, so it would count as a gap for ever.
library('no control is the heading of others: headings are their groups', () => {
  for (const id of LIBRARY_IDS) {
    const identifiers = identifiersOf(id);
    const isHeading = (number: string) =>
      identifiers.some((other) => other.startsWith(`${number}.`) || other.startsWith(`${number}-`));
    assert.equal(identifiers.filter(isHeading), [], id);
  }
  const groups = new Map(libraryFramework('ISO_27001_2022').controls.map((each) => [each.section_title, each.group]));
  assert.is(groups.get('4.1'), '4 Where the organization stands');
  assert.is(
    groups.get('6.1.2'),
    '6 Preparing for risks, objectives and changes › 6.1 Dealing with risks and opportunities',
  );
  assert.is(groups.get('A.5.1'), undefined);
});

library('ISO_27001_2022 has the controls of Annex A without a gap', () => {
  assert.equal(
    identifiersOf('ISO_27001_2022').filter((identifier) => identifier.startsWith('A.')),
    [...upTo('A.5.', 37), ...upTo('A.6.', 8), ...upTo('A.7.', 14), ...upTo('A.8.', 34)],
  );
});

library('SOC2_2017 has each series of criteria without a gap', () => {
  const common = [5, 3, 4, 2, 3, 8, 5, 1, 2].flatMap((last, index) => upTo(`CC${index + 1}.`, last));
  const privacy = [1, 1, 2, 3, 2, 7, 1, 1].flatMap((last, index) => upTo(`P${index + 1}.`, last));
  const additional = [...upTo('A1.', 3), ...upTo('C1.', 2), ...upTo('PI1.', 5)];
  assert.equal(identifiersOf('SOC2_2017'), [...common, ...additional, ...privacy]);
});

library('an enhancement of NIST_800_53_R5_HIGH follows its control', () => {
  const identifiers = identifiersOf('NIST_800_53_R5_HIGH');
  for (const [index, identifier] of identifiers.entries()) {
    const [control] = identifier.split('(');
    if (control === identifier) continue;
    assert.ok(identifiers[index - 1] === control || identifiers[index - 1]!.startsWith(`${control}(`), identifier);
  }
  assert.is(libraryFramework('NIST_800_53_R5_HIGH').controls[2]!.name, 'Automated System Account Management');
});

library.run();
