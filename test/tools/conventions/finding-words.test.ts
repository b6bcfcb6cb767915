import * as assert from 'uvu/assert';
import { daysAgo } from '../../support/histories/story.ts';
import type { Session } from '../../support/mcp/mcp-client.ts';
import { onBothPairs } from '../../support/stores/pairs.ts';

/** Searches for words as people write them, in both pairs of stores; a search without a match hints at what is near. */

interface Listed {
  measures: { reference_id: string }[];
  hint?: string;
}

const MEASURES = [
  ['M-001', 'NIS 2 registration'],
  ['M-002', 'SOC2 report of the payroll provider'],
  ['M-005', 'Multi-factor authentication for all'],
  ['M-008', 'Monthly access review'],
  ['M-015', 'Ransomware exercise'],
  ['M-020', 'Data center in Oslo'],
  ['M-021', 'Organizational chart, with colors'],
  ['M-022', '顧客個人情報の管理'],
  ['M-023', '北京数据安全有限公司的审查'],
  ['M-024', '개인정보보호 정책'],
  ['M-025', 'นโยบายความปลอดภัยสารสนเทศ'],
  ['M-026', 'BCP tested'],
  ['M-031', 'Plans for the meeting room'],
  ['M-032', 'Plans for the archive'],
  ['M-033', 'Plans for the laboratory'],
  ['M-034', 'Plans for the office'],
] as const;

await onBothPairs('finding words', (test) => {
  let organization_id: string;
  const list = async (session: Session, query: string, moment: object = {}): Promise<Listed> =>
    (await session.ok('listMeasures', { organization_id, filter: { query }, ...moment })) as unknown as Listed;

  test.before.each(async ({ owner, secondOrganization, as }) => {
    void owner;
    organization_id ??= await secondOrganization();
    const session = await as('OWNER', { organizations: [organization_id] });
    if ((await list(session, 'nis')).measures.length > 0) return;
    const rows = MEASURES.map(([reference_id, name]) => ({ reference_id, name }));
    await session.ok('importRecords', { organization_id, type: 'MEASURE', rows });
  });

  test('numbers beside letters, joined words and scripts without spaces are found', async ({ as }) => {
    const session = await as('OWNER', { organizations: [organization_id] });
    for (const [query, expected] of [
      ['NIS2', 'M-001'],
      ['SOC 2', 'M-002'],
      ['m005', 'M-005'],
      ['multifactor', 'M-005'],
      ['個人情報', 'M-022'],
      ['数据安全', 'M-023'],
      ['정보', 'M-024'],
      ['ปลอดภัย', 'M-025'],
    ] as const) {
      for (const moment of [{}, { as_of: daysAgo(0) }]) {
        const { measures } = await list(session, query, moment);
        assert.equal(
          measures.map(({ reference_id }) => reference_id),
          [expected],
          query,
        );
      }
    }
  });

  test('a query of signs finds nothing and says why, an empty one finds everything', async ({ as }) => {
    const session = await as('OWNER', { organizations: [organization_id] });
    for (const moment of [{}, { as_of: daysAgo(0) }]) {
      const { measures, hint } = await list(session, '§ % ·', moment);
      assert.equal([measures.length, hint], [0, 'query has no letter or digit, so it finds no measure.']);
      assert.is((await list(session, '', moment)).measures.length, MEASURES.length);
    }
  });

  test('near matches are other spellings, abbreviations and joined words, and never another number', async ({ as }) => {
    const session = await as('OWNER', { organizations: [organization_id] });
    for (const [query, near] of [
      ['MFA', ['M-005']],
      ['business continuity plan', ['M-026']],
      ['data centre oslo', ['M-020']],
      ['datacentre', ['M-020']],
      ['organisational', ['M-021']],
      ['colours', ['M-021']],
      ['ransom ware', ['M-015']],
      ['m999', []],
      ['M-099', []],
      ['X-005', []],
      ['M-999', []],
      ['xyz', []],
    ] as const) {
      const { measures, hint } = await list(session, query);
      assert.is(measures.length, 0, query);
      assert.equal(hint?.match(/M-\d+/g) ?? [], near, `${query}: ${hint}`);
    }
  });

  test('the words that no record has are named, with the records that have the others', async ({ as }) => {
    const session = await as('OWNER', { organizations: [organization_id] });
    const loss = await list(session, 'Data centre loss');
    assert.match(
      loss.hint!,
      /^No measure has a word that begins with "centre" or "loss"\. Matches of the other words: M-020 /,
    );
    const common = await list(session, 'plans zeppelin');
    assert.is(common.hint, 'No measure has a word that begins with "zeppelin".', 'too many to name');
    const scattered = await list(session, 'ransomware oslo');
    assert.is(scattered.hint, 'Some measures have one of these words, but none has all of them.');
  });
});
