import { archive, linkWith, obligationStory, type Story, type StoryContext, updateObligation } from './story.ts';

/** Returns the stories of the obligations from laws, authorities and contracts. */
export function obligationStories({ day, accountId }: StoryContext): Story[] {
  const owner = accountId('owner');
  const admin = accountId('admin');
  const editor = accountId('editor');
  const privacy = { area: 'Privacy', regulator: 'Data protection authority', owner_id: editor };
  return [
    obligationStory(
      709,
      {
        ...privacy,
        source: 'GDPR Art. 33',
        requirement: 'Report a breach of personal data to the authority within 72 hours.',
        due_date: day(50),
      },
      linkWith(702, 'editor', 'M-06', 'A.5.26'),
      updateObligation(580, 'editor', { status: 'COMPLIANT' }, 'The drill met the deadline'),
      updateObligation(215, 'editor', { status: 'COMPLIANT' }, 'Reviewed after the second drill'),
    ),
    obligationStory(
      709,
      {
        ...privacy,
        source: 'GDPR Art. 30',
        requirement: 'Keep a record of processing activities and their purposes.',
        due_date: day(-12),
      },
      linkWith(709, 'editor', 'A.5.34'),
      updateObligation(575, 'editor', { status: 'COMPLIANT' }),
      updateObligation(
        85,
        'editor',
        { status: 'PARTIALLY_COMPLIANT', actions_to_be_implemented: 'Add the two services introduced this year.' },
        'Two services are missing from the record',
      ),
    ),
    obligationStory(
      40,
      {
        ...privacy,
        source: 'GDPR Art. 35',
        requirement: 'Assess the impact on patients before speech recognition goes live.',
        due_date: day(12),
      },
      linkWith(40, 'editor', 'Teasel Transcription'),
      linkWith(35, 'editor', 'R-019'),
      updateObligation(
        10,
        'editor',
        { status: 'NON_COMPLIANT', actions_to_be_implemented: 'Write the assessment and consult the works council.' },
        'The trial started without an assessment',
      ),
    ),
    obligationStory(
      708,
      {
        ...privacy,
        source: 'GDPR Art. 28',
        requirement: 'Have a written agreement with every processor of personal data.',
        due_date: day(90),
      },
      linkWith(660, 'editor', 'M-07', 'A.5.20', 'Nimbus Harbour', 'Oakframe Backup', 'Mintleaf HR', 'Quillmail'),
      updateObligation(560, 'editor', { status: 'COMPLIANT' }),
      updateObligation(180, 'editor', { status: 'COMPLIANT' }, 'All 21 agreements reviewed'),
    ),
    obligationStory(
      553,
      {
        area: 'Medical devices',
        source: 'Regulation (EU) 2017/746 Art. 5(5)',
        regulator: 'Medicines agency',
        requirement: 'Keep technical documentation for each test developed in-house.',
        due_date: day(60),
        owner_id: editor,
      },
      linkWith(553, 'editor', 'R-013'),
      linkWith(126, 'editor', 'M-27'),
      updateObligation(
        126,
        'owner',
        { status: 'PARTIALLY_COMPLIANT', actions_to_be_implemented: 'Write the four missing files.' },
        'Seven of eleven files are done',
      ),
    ),
    obligationStory(
      312,
      {
        area: 'Patient records',
        source: 'Patient records act § 12',
        regulator: 'Health inspectorate',
        requirement: 'Keep findings for the legal retention period, then delete them.',
        due_date: day(-40),
        owner_id: editor,
      },
      linkWith(299, 'editor', 'R-017', 'M-24', 'A.5.33'),
      updateObligation(108, 'editor', { status: 'NON_COMPLIANT' }, 'A request for deletion could not be answered'),
    ),
    obligationStory(
      685,
      {
        area: 'Contracts',
        source: 'Framework contract with the hospitals',
        requirement: 'Deliver urgent results within four hours, around the clock.',
        due_date: day(130),
        owner_id: owner,
      },
      linkWith(654, 'editor', 'R-003', 'M-14', 'Lanternfish Couriers'),
      updateObligation(500, 'owner', { status: 'COMPLIANT' }),
      updateObligation(
        140,
        'owner',
        { status: 'COMPLIANT' },
        '99.2 % on time in the past year; the contract requires 98 %',
      ),
    ),
    obligationStory(
      684,
      {
        area: 'Quality',
        source: 'Accreditation as a medical laboratory',
        regulator: 'Accreditation body',
        requirement: 'Pass the ring trials and submit the results every year.',
        due_date: day(200),
        owner_id: editor,
      },
      linkWith(684, 'editor', 'R-007'),
      updateObligation(364, 'editor', { status: 'COMPLIANT', last_review_date: day(-366) }, 'Passed for all 42 tests'),
      updateObligation(3, 'editor', { status: 'COMPLIANT' }, 'Passed for all 44 tests'),
    ),
    obligationStory(
      290,
      {
        area: 'Security',
        source: 'NIS 2 Directive Art. 23',
        regulator: 'Cyber security authority',
        requirement: 'Give the authority an early warning of a significant incident within 24 hours.',
        due_date: day(35),
        owner_id: admin,
      },
      linkWith(290, 'editor', 'M-06', 'A.5.5'),
      updateObligation(
        150,
        'admin',
        {
          status: 'PARTIALLY_COMPLIANT',
          actions_to_be_implemented: 'Register with the authority; add it to the plan.',
        },
        'Registration opened this month',
      ),
    ),
    obligationStory(
      670,
      {
        area: 'Work',
        source: 'Working environment act § 3-1',
        regulator: 'Labour inspectorate',
        requirement: 'Inspect the workplaces for hazards every year.',
        due_date: day(-5),
        owner_id: owner,
      },
      updateObligation(400, 'owner', { status: 'COMPLIANT' }, 'Inspected with the safety delegate'),
    ),
    obligationStory(28, {
      area: 'Environment',
      source: 'Waste regulation, chapter 11',
      regulator: 'Environment agency',
      requirement: 'Hand over infectious waste with a declaration.',
      due_date: day(28),
    }),
    obligationStory(
      690,
      {
        area: 'Public health',
        source: 'Daily test reporting order',
        regulator: 'Health inspectorate',
        requirement: 'Report the number of tests every evening.',
        owner_id: editor,
      },
      updateObligation(600, 'editor', { status: 'COMPLIANT' }),
      archive(240, 'The order was repealed'),
    ),
  ];
}
