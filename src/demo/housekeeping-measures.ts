import { linkWith, measureStory, type Story, type StoryContext, updateMeasure } from './story.ts';

const IN_PROGRESS = { state: 'IN_PROGRESS' } as const;
const IMPLEMENTED = { state: 'IMPLEMENTED' } as const;

/** Returns the stories of organizational measures: policies, people, documents and suppliers. */
export function housekeepingMeasures({ day, accountId }: StoryContext): Story[] {
  const owner = accountId('owner');
  const admin = accountId('admin');
  const editor = accountId('editor');
  return [
    measureStory(
      712,
      { reference_id: 'M-01', name: 'Management system handbook', category: 'Governance', owner_id: owner },
      linkWith(712, 'editor', '4', '4.1', '4.2', '4.3', '4.4', '5', '5.1', '5.2', '5.3', 'A.5.1', 'A.5.2', 'A.5.4'),
      linkWith(711, 'editor', '7.5', '7.5.1', '7.5.2', '7.5.3', 'A.5.37'),
      updateMeasure(610, 'owner', IMPLEMENTED, 'Signed and published'),
    ),
    measureStory(
      712,
      { reference_id: 'M-02', name: 'Quarterly risk assessment', category: 'Governance', owner_id: admin },
      linkWith(712, 'editor', '6', '6.1', '6.1.1', '6.1.2', '6.1.3', '8', '8.1', '8.2', '8.3'),
      updateMeasure(600, 'admin', IMPLEMENTED),
    ),
    measureStory(
      710,
      { reference_id: 'M-03', name: 'Internal audit once a year', category: 'Governance', owner_id: owner },
      linkWith(710, 'editor', '9', '9.2', '9.2.1', '9.2.2', 'A.5.35', 'A.5.36'),
      updateMeasure(450, 'owner', IMPLEMENTED, 'The first audit took place before the certification'),
    ),
    measureStory(
      710,
      { reference_id: 'M-04', name: 'Management review twice a year', category: 'Governance', owner_id: owner },
      linkWith(710, 'editor', '7', '7.1', '9.3', '9.3.1', '9.3.2', '9.3.3', '10', '10.1', '10.2'),
      updateMeasure(440, 'owner', IMPLEMENTED),
      updateMeasure(4, 'owner', { ...IN_PROGRESS, due_date: day(50) }, 'The spring review was not held'),
    ),
    measureStory(
      705,
      { reference_id: 'M-05', name: 'Annual security training for all staff', category: 'People', owner_id: editor },
      linkWith(705, 'editor', 'R-005', '7.2', '7.3', 'A.6.3'),
      updateMeasure(540, 'editor', IMPLEMENTED, 'All 81 employees passed'),
    ),
    measureStory(
      30,
      {
        reference_id: 'M-30',
        name: 'Quarterly phishing exercise',
        category: 'People',
        due_date: day(40),
        owner_id: admin,
      },
      linkWith(30, 'editor', 'R-005', 'A.6.3'),
      updateMeasure(24, 'admin', IN_PROGRESS),
    ),
    measureStory(
      703,
      { reference_id: 'M-06', name: 'Incident plan with an annual drill', category: 'Operations', owner_id: admin },
      linkWith(703, 'editor', 'R-001', 'A.5.24', 'A.5.25', 'A.5.26', 'A.5.27', 'A.5.28', 'A.6.8'),
      updateMeasure(585, 'admin', IMPLEMENTED),
    ),
    measureStory(
      701,
      { reference_id: 'M-07', name: 'Vendor reviews by criticality', category: 'Suppliers', owner_id: editor },
      linkWith(701, 'editor', 'A.5.19', 'A.5.20', 'A.5.21', 'A.5.22', 'A.5.23'),
      updateMeasure(590, 'editor', IMPLEMENTED),
    ),
    measureStory(
      568,
      {
        reference_id: 'M-20',
        name: 'Transfer assessments for vendors outside the EEA',
        category: 'Privacy',
        due_date: day(-250),
        owner_id: editor,
      },
      linkWith(568, 'editor', 'R-008', 'A.5.34', 'Paperkite Payroll'),
      updateMeasure(250, 'editor', IMPLEMENTED),
      updateMeasure(
        38,
        'editor',
        { ...IN_PROGRESS, due_date: day(25) },
        'The speech recognition vendor needs an assessment',
      ),
      linkWith(37, 'editor', 'Teasel Transcription'),
    ),
    measureStory(
      300,
      {
        reference_id: 'M-24',
        name: 'Retention schedule for findings',
        category: 'Privacy',
        due_date: day(-35),
        owner_id: editor,
      },
      linkWith(300, 'editor', 'R-017', 'A.5.33', 'A.8.10', 'Redpoll Legal'),
      updateMeasure(260, 'editor', IN_PROGRESS),
    ),
    measureStory(
      655,
      { reference_id: 'M-14', name: 'Plan for five days without the portal', category: 'Continuity', owner_id: owner },
      linkWith(655, 'editor', 'R-003', 'A.5.29', 'A.5.30'),
      updateMeasure(555, 'owner', IMPLEMENTED, 'Tested by telephone and fax for a day'),
    ),
    measureStory(
      650,
      { reference_id: 'M-16', name: 'Locks, badges and a visitor log', category: 'Premises', owner_id: editor },
      linkWith(650, 'editor', 'A.7.1', 'A.7.2', 'A.7.3', 'A.7.4', 'A.7.6'),
      linkWith(559, 'editor', 'Pinegrove Facilities'),
      updateMeasure(545, 'editor', IMPLEMENTED),
    ),
    measureStory(
      396,
      {
        reference_id: 'M-21',
        name: 'Asset inventory with owners and classification',
        category: 'Governance',
        due_date: day(-12),
        owner_id: admin,
      },
      linkWith(396, 'editor', 'A.5.9', 'A.5.10', 'A.5.12', 'A.5.13'),
      updateMeasure(200, 'admin', IN_PROGRESS),
    ),
    measureStory(
      127,
      {
        reference_id: 'M-27',
        name: 'Technical file for each in-house test',
        description: 'Seven of eleven files are done.',
        category: 'Regulation',
        due_date: day(60),
        owner_id: editor,
      },
      linkWith(127, 'editor', 'R-013'),
      updateMeasure(100, 'editor', IN_PROGRESS),
    ),
    measureStory(
      33,
      {
        reference_id: 'M-29',
        name: 'Doctors approve every dictated text',
        category: 'Quality',
        due_date: day(30),
        owner_id: editor,
      },
      linkWith(33, 'editor', 'R-019', 'Teasel Transcription'),
      updateMeasure(9, 'editor', IN_PROGRESS),
    ),
  ];
}
