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
function treated(daysAgo: number, by: DemoPerson, root_cause: string, corrective_action: string) {
  return updateNonconformity(daysAgo, by, { status: 'PENDING_VERIFICATION', root_cause, corrective_action });
}

function closed(daysAgo: number, by: DemoPerson, effectiveness_check: string) {
  return updateNonconformity(daysAgo, by, { status: 'CLOSED', effectiveness_check });
}

/** Returns the stories of what auditors and the laboratory itself found wrong. */
export function nonconformityStories({ day, account }: StoryContext): Story[] {
  const admin = account('admin');
  const editor = account('editor');
  const byAudit = { audit_id: CERTIFICATION, date_identified: day(-399) };
  return [
    nonconformityStory(
      399,
      {
        ...byAudit,
        reference_id: 'NC-01',
        description: 'Restore tests are made, but two of six were not written down.',
        severity: 'MINOR',
        due_date: day(-310),
        owner_id: admin,
      },
      linkWith(399, 'editor', 'M-08', 'A.8.13'),
      treated(350, 'admin', 'The form was optional.', 'The test counts only with its form.'),
      closed(308, 'admin', 'Three tests in a row have their form.'),
    ),
    nonconformityStory(
      399,
      {
        ...byAudit,
        reference_id: 'NC-02',
        description: 'Two people who had left could still sign in 40 days later.',
        severity: 'MAJOR',
        due_date: day(-370),
        owner_id: admin,
      },
      linkWith(399, 'editor', 'R-015', 'A.5.18'),
      updateNonconformity(396, 'admin', IN_PROGRESS),
      treated(386, 'admin', 'Nobody told operations who leaves.', 'Personnel sends a list every Friday.'),
      updateNonconformity(381, 'admin', IN_PROGRESS, 'The check found a third account'),
      linkWith(380, 'editor', 'M-22'),
      treated(375, 'admin', 'Short contracts are not on the list.', 'The list holds everybody with a badge.'),
      closed(372, 'owner', 'All 96 accounts belong to people with a badge.'),
    ),
    nonconformityStory(
      399,
      {
        ...byAudit,
        reference_id: 'NC-03',
        description: 'The list of assets does not hold the analysers.',
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
        description: 'A key of the hospital interface stood in a build log for a week.',
        severity: 'MAJOR',
        date_identified: day(-290),
        due_date: day(-230),
        owner_id: admin,
      },
      linkWith(290, 'editor', 'R-012', 'M-17', 'A.8.24'),
      updateNonconformity(289, 'admin', IN_PROGRESS),
      treated(238, 'admin', 'A failing build printed its settings.', 'Logs are searched for keys every night.'),
      closed(180, 'owner', 'Two planted keys were found the same night.'),
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
      treated(120, 'editor', 'Boxes stood in the sun at one clinic.', 'A logger in every box; pick-up indoors.'),
      closed(69, 'editor', 'Four weeks without a deviation.'),
    ),
    nonconformityStory(
      201,
      {
        reference_id: 'NC-06',
        description: 'Full addresses of visitors went to the analytics service for nine days.',
        severity: 'MINOR',
        date_identified: day(-201),
        due_date: day(15),
        owner_id: editor,
      },
      linkWith(201, 'editor', 'Tallybird Analytics', 'GDPR Art. 33', 'A.8.12'),
      updateNonconformity(195, 'editor', IN_PROGRESS),
      treated(16, 'editor', 'A release dropped the filter; no test noticed.', 'A test looks at what is sent.'),
    ),
    nonconformityStory(
      200,
      { reference_id: 'NC-07', description: 'Addresses sent to analytics', date_identified: day(-200) },
      archive(198, 'Raised twice: see NC-06'),
    ),
    nonconformityStory(
      109,
      {
        reference_id: 'NC-08',
        description: 'A clinic’s request for deletion was not answered within a month.',
        severity: 'MINOR',
        date_identified: day(-109),
        root_cause: 'Nobody knows how long findings must be kept.',
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
        description: 'The management review of spring was not held.',
        severity: 'MAJOR',
        audit_id: SURVEILLANCE,
        date_identified: day(-5),
        due_date: day(55),
        owner_id: account('owner'),
      },
      linkWith(5, 'editor', 'M-04', '9.3.1'),
    ),
    nonconformityStory(
      5,
      {
        reference_id: 'NC-10',
        description: 'New staff work for weeks before their security training.',
        severity: 'OBSERVATION',
        audit_id: SURVEILLANCE,
        date_identified: day(-5),
        due_date: day(85),
      },
      linkWith(5, 'editor', 'R-005', 'M-05', 'A.6.3'),
    ),
  ];
}
