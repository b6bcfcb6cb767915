import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { queryWords, searchWords } from '../../../src/projections/read-models/search-words.ts';

/** Returns true if a record with this text has every word of the query, as the stores compare them. */
function finds(query: string, text: string, isLong = false): boolean {
  const words = isLong ? searchWords([], [text]) : searchWords([text], []);
  const stored = words.map((word) => `${word} `);
  const prefixes = queryWords(query);
  return (
    prefixes.length > 0 && prefixes.every((any) => any.some((prefix) => stored.some((word) => word.startsWith(prefix))))
  );
}

for (const [text, found, notFound] of [
  ['NIS 2 directive', ['NIS2', 'nis-2', 'NIS 2'], ['NIS3', 'IS2']],
  ['NIS2 directive', ['NIS 2', 'NIS2', '2'], ['NIS 3']],
  ['SOC-2, SOC_3 and PCI/DSS:4', ['soc2', 'soc3', 'dss4'], ['soc4']],
  ['R-005', ['r005', 'R5', 'r0005', '5', 'R 005'], ['r05a', 'r50', '05r']],
  ['R005', ['R-005', 'R-5', 'r 5', '005'], ['R-50']],
  ['ISMS-RSK-0012', ['rsk12', 'RSK0012', 'rsk-12'], ['isms12']],
  ['A.5.15', ['a5.15', 'A.5.15', 'A.5', 'a5.1'], ['5.15', 'A.15', '15']],
  ['ISO/IEC 27001:2022', ['ISO27001', 'IEC27001', 'iso 27001', '27001:2022'], ['ISO2022']],
  ['ISO27001', ['ISO 27001', '27001'], ['7001']],
  ['Report within 72 hours', ['72h', '72 hours', '72hours'], ['2hours']],
  ['2FA and TLS1.3', ['fa', '2-FA', 'TLS 1.3', 'tls1.3'], ['1.2']],
  ['GDPR Art. 33', ['art33', 'Art.33'], ['gdpr33']],
  ['e-mail of the third‑party, let’s say', ['email', 'e-mail', 'thirdparty', 'lets'], ['ofthe']],
  ['株式会社顧客個人情報管理', ['個人情報', '顧客', '情報', '株式会社', '管理', '理', '個'], ['人個', '報情']],
  ['北京数据安全有限公司', ['数据', '数据安全', '安全', '司'], ['安数']],
  ['AWS東京リージョン、データセンターの損失', ['aws', '東京', 'リージョン', 'センター', 'ｾﾝﾀｰ', 'aws 損失'], ['東リ']],
  ['개인정보보호 정책', ['정보', '보호', '개인정보', '정책', '책'], ['호정']],
  ['นโยบายความปลอดภัยสารสนเทศ', ['ความปลอดภัย', 'ปลอดภัย', 'สารสนเทศ'], ['เทศสาร']],
  ['第12条の要求', ['12', '第12条', '要求'], ['13']],
  ['§ + % ·', [], ['§', '+', '·', '§ %']],
] as const) {
  test(`search “${text}”`, () => {
    for (const query of found) assert.ok(finds(query, text), `${query} finds ${text}`);
    for (const query of notFound) assert.not.ok(finds(query, text), `${query} does not find ${text}`);
  });
}

test('a long text counts its first 100 distinct words, or 300 pairs of letters', () => {
  const words = Array.from({ length: 120 }, (_, index) => `w${index}x`).join(' w0x ');
  assert.ok(finds('w99x', words, true));
  assert.not.ok(finds('w100x', words, true));
  const letters = Array.from({ length: 400 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  const pair = (index: number) => letters.slice(index, index + 2).join('');
  assert.ok(finds(pair(299), letters.join(''), true));
  assert.not.ok(finds(pair(300), letters.join(''), true));
  assert.ok(finds(pair(300), letters.join('')), 'in a short text');
});

test.run();
