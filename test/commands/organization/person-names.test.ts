import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import {
  confusableWith,
  foldName,
  isForbiddenName,
  isReservedName,
  isReservedWord,
} from '../../../src/commands/organization/person-names.ts';

const test = suite('names of people');
const text = fc.string({ unit: 'grapheme', maxLength: 40 });

test('folding ignores case, width, invisible characters and spaces', () => {
  for (const [a, b] of [
    ['Jane Doe', '  jANE \u00a0 DOE '],
    ['Ｊａｎｅ', 'jane'],
    ['Cafe\u0301', 'CAF\u00c9'],
    ['Groß', 'GROSS'],
    ['GROẞ', 'Gross'],
    ['ΟΔΥΣΣΕΥΣ', 'Οδυσσευς'],
    ['Jane\u200b\u00ad', 'Jane'],
  ] as const) {
    assert.is(foldName(a), foldName(b), `${a} ${b}`);
  }
  for (const [a, b] of [
    ['Jane Doe', 'JaneDoe'],
    ['Jose', 'José'],
    ['Jane', 'Jan'],
  ] as const) {
    assert.is.not(foldName(a), foldName(b), `${a} ${b}`);
  }
});

test('a folded name folds to itself, and so does its upper case', () => {
  fc.assert(
    fc.property(text, (name) => {
      const folded = foldName(name);
      return foldName(folded) === folded && foldName(` ${name}  `) === folded;
    }),
  );
});

test('letters of other scripts that look the same are confusable, other names are not', () => {
  for (const lookalike of ['Аda Вyron', 'Αda Byron', 'ADA BYRON', 'Ada  Byron', 'Ada Byr0n', 'Аԁа Вуrоn']) {
    assert.ok(confusableWith('Ada Byron')(lookalike), lookalike);
  }
  assert.ok(confusableWith('Ian Lee')('lan Lee'));
  for (const other of ['Ada Byro', 'Ada B. Byron', 'Áda Byron', 'Ida Byron']) {
    assert.not.ok(confusableWith('Ada Byron')(other), other);
  }
});

test('Unicode’s table, blanks, signs and letters that only case tells apart are confusable', () => {
  const lookalikes = [
    'Adam\u3164AdminA',
    '\u13aadam AdminA',
    '\u2c80dam AdminA',
    '\ua4eedam AdminA',
    'Adam\u2800AdminA',
  ];
  for (const name of [...lookalikes, 'Adam AdmlnA', 'Adam Adm1nA', 'Adam AdrninA', 'Adam AdminA.', 'Adam-AdminA']) {
    assert.ok(confusableWith('Adam AdminA')(name), name);
  }
});

test('words that the service writes for people are no names', () => {
  for (const name of ['former member', 'F\u043ermer Member', 'Adam (former member)', 'Erased Name', 'Verltrail']) {
    assert.ok(isForbiddenName(name), name);
  }
  assert.not.ok(isForbiddenName('Vera Trail'));
});

test('roles are words that nobody chooses as a name, but an account may have one', () => {
  for (const name of [
    'Owner',
    'OWNER',
    '\u041ewner',
    'Ow\u0578er',
    'Admin',
    'Adm1n',
    'Administrator',
    'auditor.',
    'V\u0456ewer',
    'EDlTOR',
  ]) {
    assert.ok(isReservedName(name), name);
    assert.not.ok(isForbiddenName(name), name);
  }
  for (const name of ['veritrail', 'ME', 'former member']) assert.ok(isReservedName(name), name);
  for (const name of ['Olivia Owner', 'Owen', 'Audi', 'Editorial Ltd', 'Adm', 'Vera Trail']) {
    assert.not.ok(isReservedName(name), name);
  }
});

test('being confusable is mutual, and holds for the name itself', () => {
  fc.assert(fc.property(text, text, (a, b) => confusableWith(a)(b) === confusableWith(b)(a)));
  fc.assert(fc.property(text, (name) => confusableWith(name)(name)));
});

test('ids and the words ME and SYSTEM are no names', () => {
  for (const word of ['ME', 'SYSTEM', 'acc_', 'ACC_x', randomId('acc'), randomId('vnd')]) {
    assert.ok(isReservedWord(word), word);
    assert.ok(isForbiddenName(word), word);
  }
  for (const name of ['me', 'Ｍｅ', 'МЕ', 'System', 'SYSTEM\u200b', randomId('acc').toLowerCase(), 'acc_jane']) {
    assert.ok(isForbiddenName(name), name);
  }
  for (const name of [
    randomId('acc').replace('acc', '\u0430\u0441\u0441'),
    `\u200b${randomId('vnd')}`,
    '\u3164',
    '\u200b',
  ]) {
    assert.ok(isForbiddenName(name), JSON.stringify(name));
  }
  for (const name of ['Jane Doe', 'Meg', 'Systems Team', 'Acc Ount', 'joe_smith']) {
    assert.not.ok(isReservedWord(name), name);
    assert.not.ok(isForbiddenName(name), name);
  }
});

test.run();
