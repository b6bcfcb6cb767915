import { CERTIFICATION, SURVEILLANCE } from './audit-stories.ts';
import {
  archive,
  type DemoPerson,
  linkWith,
  nonconformityStory,
  type Story,
  type StoryContext,
  updateNonconformity,
} from './story.ts';

const IN_PROGRESS = { status: 'IN_PROGRESS' } as const;

/** Returns the update that submits a nonconformity for verification. */
function submitTreatment(daysAgo: number, by: DemoPerson, root_cause: string, corrective_action: string) {
  return updateNonconformity(daysAgo, by, { status: 'PENDING_VERIFICATION', root_cause, corrective_action });
}

function closeVerified(daysAgo: number, by: DemoPerson, effectiveness_check: string) {
  return updateNonconformity(daysAgo, by, { status: 'CLOSED', effectiveness_check });
}

/** Returns the stories of the nonconformities that auditors or the laboratory found. */
export function nonconformityStories({ day, accountId }: StoryContext): Story[] {
  const admin = accountId('admin');
  const editor = accountId('editor');
  const certificationFinding = { audit_id: CERTIFICATION, date_identified: day(-399) };
  return [
    nonconformityStory(
      399,
      {
        ...certificationFinding,
        reference_id: 'NC-01',
        description: 'Restore tests are carried out, but two of six were not documented.',
        severity: 'MINOR',
        due_date: day(-310),
        owner_id: admin,
      },
      linkWith(399, 'editor', 'M-08', 'A.8.13'),
      submitTreatment(350, 'admin', 'The form was optional.', 'A restore test counts only with a completed form.'),
      closeVerified(308, 'admin', 'The last three tests have a completed form.'),
    ),
    nonconformityStory(
      399,
      {
        ...certificationFinding,
        reference_id: 'NC-02',
        description: 'Two people who had left could still sign in 40 days later.',
        severity: 'MAJOR',
        due_date: day(-370),
        owner_id: admin,
      },
      linkWith(399, 'editor', 'R-015', 'A.5.18'),
      updateNonconformity(396, 'admin', IN_PROGRESS),
      submitTreatment(
        386,
        'admin',
        'Operations was not informed of leavers.',
        'HR sends a list of leavers every Friday.',
      ),
      updateNonconformity(381, 'admin', IN_PROGRESS, 'The check found a third account'),
      linkWith(380, 'editor', 'M-22'),
      submitTreatment(
        375,
        'admin',
        'The list leaves out short-term contracts.',
        'The list covers everybody with a badge.',
      ),
      closeVerified(372, 'owner', 'All 96 accounts belong to people with a badge.'),
    ),
    nonconformityStory(
      399,
      {
        ...certificationFinding,
        reference_id: 'NC-03',
        description: 'The asset inventory does not include the analysers.',
        severity: 'OBSERVATION',
        due_date: day(-25),
        owner_id: admin,
      },
      linkWith(395, 'editor', 'M-21', 'A.5.9'),
      updateNonconformity(199, 'admin', IN_PROGRESS),
    ),
    nonconformityStory(
      290,
      {
        reference_id: 'NC-04',
        description: 'A key of the hospital interface was visible in a build log for a week.',
        severity: 'MAJOR',
        date_identified: day(-290),
        due_date: day(-230),
        owner_id: admin,
      },
      linkWith(290, 'editor', 'R-012', 'M-17', 'A.8.24'),
      updateNonconformity(289, 'admin', IN_PROGRESS),
      submitTreatment(
        238,
        'admin',
        'A failed build printed its settings.',
        'Build logs are scanned for keys every night.',
      ),
      closeVerified(180, 'owner', 'Two planted keys were found within a night.'),
    ),
    nonconformityStory(
      261,
      {
        reference_id: 'NC-05',
        description: 'Two boxes of samples were above 8 °C on arrival.',
        severity: 'MINOR',
        date_identified: day(-262),
        due_date: day(-75),
        owner_id: editor,
      },
      linkWith(261, 'editor', 'Lanternfish Couriers'),
      submitTreatment(
        120,
        'editor',
        'Boxes stood in the sun at one clinic.',
        'A data logger in every box, and indoor pick-up.',
      ),
      closeVerified(69, 'editor', 'Four weeks without a deviation.'),
    ),
    nonconformityStory(
      201,
      {
        reference_id: 'NC-06',
        description: 'Visitors’ full IP addresses were sent to the analytics service for nine days.',
        severity: 'MINOR',
        date_identified: day(-201),
        due_date: day(15),
        owner_id: editor,
      },
      linkWith(201, 'editor', 'Tallybird Analytics', 'GDPR Art. 33', 'A.8.12'),
      updateNonconformity(195, 'editor', IN_PROGRESS),
      submitTreatment(
        16,
        'editor',
        'A release removed the filter, and no test noticed.',
        'An automated test checks the data sent.',
      ),
    ),
    nonconformityStory(
      200,
      { reference_id: 'NC-07', description: 'IP addresses sent to analytics', date_identified: day(-200) },
      archive(198, 'Duplicate of NC-06'),
    ),
    nonconformityStory(
      109,
      {
        reference_id: 'NC-08',
        description: 'A clinic’s request for deletion was not answered within a month.',
        severity: 'MINOR',
        date_identified: day(-109),
        root_cause: 'There is no retention schedule for findings.',
        due_date: day(20),
        owner_id: editor,
      },
      linkWith(109, 'editor', 'R-017', 'M-24', 'Patient records act § 12'),
      updateNonconformity(100, 'editor', IN_PROGRESS),
    ),
    nonconformityStory(
      5,
      {
        reference_id: 'NC-09',
        description: 'The spring management review was not held.',
        severity: 'MAJOR',
        audit_id: SURVEILLANCE,
        date_identified: day(-5),
        due_date: day(55),
        owner_id: accountId('owner'),
      },
      linkWith(5, 'editor', 'M-04', '9.3.1'),
    ),
    nonconformityStory(
      5,
      {
        reference_id: 'NC-10',
        description: 'New staff work for weeks before they get security training.',
        severity: 'OBSERVATION',
        audit_id: SURVEILLANCE,
        date_identified: day(-5),
        due_date: day(85),
      },
      linkWith(5, 'editor', 'R-005', 'M-05', 'A.6.3'),
    ),
  ];
}
