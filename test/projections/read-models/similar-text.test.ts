import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { similarText } from '../../../src/projections/read-models/similar-text.ts';

const test = suite('similar texts');

const company = (name: string) => similarText(name, true);

/** Names of one company each. */
const COMPANIES: readonly (readonly string[])[] = [
  [
    ...[
      'Redpoll Legal AG',
      'redpoll  legal',
      'REDPOLL LEGAL',
      'Redpoll-Legal GmbH',
      'Redpoll Legal, Inc.',
      'Redpoll Legal SA',
    ],
    ...[
      'Redpoll Legal S.A.',
      'Redpoll Legal S. A.',
      'Redpoll Legal Ltd',
      'Redpoll Legal Ltd.',
      'Redpoll Legal Limited',
    ],
    ...['Redpoll Legal LLC', 'Redpoll Legal L.L.C.', 'Redpoll Legal B.V.', 'Redpoll Legal NV', 'Redpoll Legal S.p.A.'],
    ...['Redpoll Legal Sp. z o.o.', 'Redpoll Legal sp. z o. o.', 'Redpoll Legal s.r.o.', 'Redpoll Legal spol. s r.o.'],
    ...[
      'Redpoll Legal KK',
      'Redpoll Legal K.K.',
      'Redpoll Legal Oy',
      'Redpoll Legal AB',
      'Redpoll Legal AS',
      'Redpoll Legal A/S',
    ],
    ...[
      'Redpoll Legal ApS',
      'Redpoll Legal GmbH & Co. KG',
      'Redpoll Legal Sàrl',
      'Redpoll Legal A.Ş.',
      'Redpoll Legal Pty Ltd',
    ],
    ...[
      'Redpoll Legal Pvt. Ltd.',
      'Redpoll Legal Private Limited',
      'Redpoll Legal Co., Ltd.',
      'Redpoll Legal S. de R.L. de C.V.',
    ],
    ...['Redpoll Legal UG (haftungsbeschränkt)', 'PT Redpoll Legal Tbk', 'Ｒｅｄｐｏｌｌ Legal', '“Redpoll Legal” plc'],
  ],
  [
    'トヨタ自動車',
    '株式会社トヨタ自動車',
    'トヨタ自動車株式会社',
    'トヨタ自動車㈱',
    '(株)トヨタ自動車',
    'トヨタ 自動車 株式会社',
  ],
  ['腾讯科技', '腾讯科技有限公司', '腾讯科技股份有限公司'],
  ['삼성전자', '삼성전자주식회사', '삼성전자 주식회사', '주식회사 삼성전자', '㈜삼성전자', '삼성전자(주)'],
  ['Ромашка', 'ООО «Ромашка»', 'ОАО Ромашка', 'РОМАШКА, ООО'],
];

/** Texts that are no name of one company, though a careless rule would find them alike. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['AG', 'SA'],
  ['AG', 'Redpoll AG'],
  ['The Limited', 'The Company'],
  ['The Limited', 'The'],
  ['Limited', 'Limited Ltd Holding'],
  ['Company Limited', 'AG'],
  ['X Corp', 'X AB'],
  ['株式会社', '有限会社'],
  ['C++ Tools Ltd', 'C# Tools Ltd'],
  ['Redpoll Legal AG', 'Redpoll Law AG'],
  ['Agnes AG', 'Nes'],
  ['Atlas Copco', 'Atlas Cop'],
  ['Node 1.1 Ltd', 'Node 11 Ltd'],
  ['§', '%'],
];

for (const [first, ...others] of COMPANIES) {
  for (const other of others) test(`${other} is like ${first}`, () => assert.is(company(other), company(first!)));
}

for (const [one, another] of OTHERS) {
  test(`${one} isn't like ${another}`, () => assert.is.not(company(one), company(another)));
}

test('other texts keep what looks like a legal form', () => {
  assert.is(similarText('Migration to AB', false), 'migration to ab');
  assert.is(similarText('No access  review (Q3)…', false), similarText('no ACCESS-review Q3', false));
});

test('every text has a key of limited length, and an empty one has none', () => {
  assert.equal([similarText('', true), similarText(null, false)], [null, null]);
  for (const text of [
    '§',
    ' ',
    '🦜'.repeat(2_000),
    'a'.repeat(5_000),
    'ab '.repeat(5_000),
    'ö'.repeat(300),
    '株'.repeat(999),
  ]) {
    for (const isCompany of [true, false]) {
      const key = similarText(text, isCompany)!;
      assert.ok(key.length > 0 && key.length <= 201, text.slice(0, 5));
      assert.ok(key.isWellFormed(), text.slice(0, 5));
    }
  }
});

test('a key is the key of itself', () => {
  for (const name of COMPANIES.flat()) assert.is(company(company(name)!), company(name), name);
});

test.run();
