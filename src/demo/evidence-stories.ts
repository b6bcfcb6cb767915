import { CERTIFICATION, SURVEILLANCE } from './audit-stories.ts';
import { DEMO_FRAMEWORK } from './framework-stories.ts';
import { archive, evidenceStory, linkWith, type Story, type StoryContext } from './story.ts';

/** Returns the stories of the evidence: documents, records and screenshots. */
export function evidenceStories({ day, accountId }: StoryContext): Story[] {
  const admin = accountId('admin');
  const editor = accountId('editor');
  const noonOf = (daysAgo: number) => `${day(-daysAgo)}T12:00:00.000Z`;
  const fileAddress = (file: string) => `https://files.fjordlys.example/isms/${file}`;
  return [
    evidenceStory(609, {
      name: 'Signed handbook',
      record_ids: ['M-01', 'A.5.1', '5.2', DEMO_FRAMEWORK],
      url: fileAddress('handbook-1.pdf'),
      collected_at: noonOf(610),
      owner_id: accountId('owner'),
    }),
    evidenceStory(603, {
      name: 'First restore test',
      record_ids: ['M-08', 'A.8.13', 'Oakframe Backup'],
      text: 'Restored 2 TB of results from the off-site copy in five hours. Compared 200 findings: no differences.',
      collected_at: noonOf(604),
      valid_until: day(-239),
      owner_id: admin,
    }),
    evidenceStory(59, {
      name: 'Autumn restore test',
      record_ids: ['M-08', 'A.8.13', 'R-001', 'NC-01'],
      text: 'Restored 3.1 TB in five hours. Compared 200 findings: no differences. Form signed by two people.',
      collected_at: noonOf(60),
      valid_until: day(305),
      owner_id: admin,
    }),
    evidenceStory(520, {
      name: 'Firewall rules of the analyser network',
      record_ids: ['M-09', 'A.8.22'],
      url: fileAddress('analyser-firewall.txt'),
      collected_at: noonOf(521),
      valid_until: day(-155),
      owner_id: admin,
    }),
    evidenceStory(
      539,
      {
        name: 'Training list, last year',
        record_ids: ['M-05', 'A.6.3', '7.2'],
        url: fileAddress('training-1.xlsx'),
        collected_at: noonOf(540),
        valid_until: day(-174),
        owner_id: editor,
      },
      archive(170, 'Replaced by this year’s list'),
    ),
    evidenceStory(171, {
      name: 'Training list, this year',
      record_ids: ['M-05', 'A.6.3', '7.2'],
      url: fileAddress('training-2.xlsx'),
      collected_at: noonOf(172),
      valid_until: day(193),
      owner_id: editor,
    }),
    evidenceStory(269, {
      name: 'Intrusion exercise report',
      record_ids: ['M-10', 'A.8.16', 'Sentrygate'],
      url: fileAddress('exercise-2.pdf'),
      collected_at: noonOf(270),
      valid_until: day(95),
      owner_id: admin,
    }),
    evidenceStory(214, {
      name: 'Breach drill minutes',
      record_ids: ['M-06', 'GDPR Art. 33', 'A.5.26'],
      text: 'Breach reported at 09:10, draft notification to the authority ready at 15:40. Two phone numbers were out of date.',
      collected_at: noonOf(216),
      owner_id: editor,
    }),
    evidenceStory(338, {
      name: 'Access review by all team leads',
      record_ids: ['M-19', 'A.5.18', 'R-015'],
      url: fileAddress('access-review-1.xlsx'),
      collected_at: noonOf(340),
      valid_until: day(-30),
      owner_id: admin,
    }),
    evidenceStory(
      369,
      {
        name: 'Certificate',
        record_ids: [CERTIFICATION, DEMO_FRAMEWORK],
        url: fileAddress('certificate.pdf'),
        collected_at: noonOf(370),
        valid_until: day(725),
        owner_id: admin,
      },
      linkWith(91, 'admin', SURVEILLANCE),
    ),
    evidenceStory(371, {
      name: 'Accounts compared with badges',
      record_ids: ['NC-02', 'A.5.16', 'A.5.18'],
      text: '96 accounts, 96 badges, and every account has a badge.',
      collected_at: noonOf(372),
      owner_id: admin,
    }),
    evidenceStory(236, {
      name: 'Two planted keys found',
      record_ids: ['M-17', 'NC-04', 'A.8.24'],
      url: fileAddress('planted-keys.png'),
      collected_at: noonOf(237),
      valid_until: day(128),
      owner_id: admin,
    }),
  ];
}
