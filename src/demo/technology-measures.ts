import { archive, linkWith, measureStory, type Story, type StoryContext, updateMeasure } from './story.ts';

const IN_PROGRESS = { state: 'IN_PROGRESS' } as const;
const IMPLEMENTED = { state: 'IMPLEMENTED' } as const;

/** Returns the stories of technical measures. */
export function technologyMeasures({ day, accountId }: StoryContext): Story[] {
  const owner_id = accountId('admin');
  return [
    measureStory(
      698,
      { reference_id: 'M-08', name: 'Off-site backups with a monthly restore test', category: 'Continuity', owner_id },
      linkWith(698, 'editor', 'R-001', 'A.8.13', 'Oakframe Backup'),
      updateMeasure(690, 'admin', { ...IN_PROGRESS, due_date: day(-600) }),
      updateMeasure(604, 'admin', IMPLEMENTED, 'The first restore test took five hours'),
    ),
    measureStory(
      698,
      { reference_id: 'M-09', name: 'Separate network for the analysers', category: 'Network', owner_id },
      linkWith(698, 'editor', 'R-001', 'R-006', 'A.8.20', 'A.8.22'),
      updateMeasure(650, 'admin', { ...IN_PROGRESS, due_date: day(-530) }),
      updateMeasure(521, 'admin', IMPLEMENTED),
    ),
    measureStory(
      697,
      { reference_id: 'M-10', name: 'Monitoring around the clock', category: 'Operations', owner_id },
      linkWith(697, 'editor', 'R-001', 'R-006', 'A.5.7', 'A.8.7', 'A.8.15', 'A.8.16', 'Sentrygate'),
      updateMeasure(641, 'admin', IMPLEMENTED, 'The exercise with a planted intrusion passed'),
    ),
    measureStory(
      697,
      { reference_id: 'M-11', name: 'Multi-factor authentication for all', category: 'Access', owner_id },
      linkWith(697, 'editor', 'R-005', 'A.5.16', 'A.5.17', 'A.8.5', 'Keystone Identity'),
      updateMeasure(652, 'admin', IMPLEMENTED),
    ),
    measureStory(
      662,
      { reference_id: 'M-12', name: 'Encrypted disks with remote wipe', category: 'Devices', owner_id },
      linkWith(662, 'editor', 'R-011', 'A.7.9', 'A.8.1', 'A.8.24'),
      updateMeasure(562, 'admin', IMPLEMENTED),
    ),
    measureStory(
      606,
      {
        reference_id: 'M-17',
        name: 'Keys in a vault, rotated every 90 days',
        category: 'Development',
        due_date: day(-420),
        owner_id,
      },
      linkWith(606, 'editor', 'R-012', 'A.5.17', 'A.8.24'),
      updateMeasure(500, 'admin', IN_PROGRESS),
      updateMeasure(421, 'admin', IMPLEMENTED),
      updateMeasure(290, 'admin', { ...IN_PROGRESS, due_date: day(-235) }, 'A key was found in a build log'),
      updateMeasure(238, 'admin', IMPLEMENTED, 'Build logs are scanned for keys every night'),
    ),
    measureStory(
      600,
      {
        reference_id: 'M-18',
        name: 'Changes are reviewed and tested before release',
        category: 'Development',
        owner_id,
      },
      linkWith(600, 'editor', '6.3', 'A.8.4', 'A.8.25', 'A.8.28', 'A.8.31', 'A.8.32', 'Driftwood Code'),
      updateMeasure(470, 'admin', IMPLEMENTED),
    ),
    measureStory(
      595,
      { reference_id: 'M-19', name: 'Team leads review access rights twice a year', category: 'Access', owner_id },
      linkWith(595, 'editor', 'A.5.15', 'A.5.18', 'A.8.2', 'A.8.3'),
      linkWith(459, 'editor', 'R-015'),
      updateMeasure(340, 'admin', IMPLEMENTED),
    ),
    measureStory(
      394,
      { reference_id: 'M-22', name: 'Access rights follow the HR record', category: 'Access', owner_id },
      linkWith(394, 'editor', 'R-015', 'A.5.11', 'A.5.18', 'A.6.5', 'Mintleaf HR'),
      updateMeasure(390, 'admin', { ...IN_PROGRESS, due_date: day(-150) }),
      updateMeasure(156, 'admin', IMPLEMENTED),
    ),
    measureStory(
      390,
      {
        reference_id: 'M-23',
        name: 'Known vulnerabilities block a release',
        category: 'Development',
        due_date: day(-90),
        owner_id,
      },
      linkWith(390, 'editor', 'R-016', 'A.8.8', 'A.8.28', 'A.8.29'),
      updateMeasure(280, 'admin', IN_PROGRESS),
      updateMeasure(98, 'admin', IMPLEMENTED),
    ),
    measureStory(
      298,
      {
        reference_id: 'M-25',
        name: 'Second hosting region',
        description: 'Part of the new contract. Results must be available again within four hours.',
        category: 'Continuity',
        due_date: day(120),
        owner_id,
      },
      linkWith(298, 'editor', 'R-003', 'A.5.30', 'A.8.14', 'Nimbus Harbour'),
    ),
    measureStory(
      165,
      {
        reference_id: 'M-26',
        name: 'Hardened standard configuration for workstations',
        category: 'Devices',
        due_date: day(-10),
        owner_id,
      },
      linkWith(165, 'editor', 'R-006', 'A.8.9', 'A.8.18', 'A.8.19'),
    ),
    measureStory(
      660,
      { reference_id: 'M-13', name: 'Gas fire suppression in the server room', category: 'Premises', owner_id },
      linkWith(514, 'editor', 'R-014', 'A.7.5'),
      updateMeasure(
        329,
        'admin',
        { state: 'NOT_APPLICABLE', justification: 'There is no longer a server room.' },
        'All systems have been hosted since the move',
      ),
    ),
    measureStory(
      655,
      { reference_id: 'M-15', name: 'Spam filter on our mail server', category: 'Operations', owner_id },
      updateMeasure(600, 'admin', IMPLEMENTED),
      archive(310, 'The mail server was shut down with the move'),
    ),
    measureStory(
      34,
      {
        reference_id: 'M-28',
        name: 'Protection against denial-of-service attacks',
        description: 'Offer requested from the portal’s hosting provider.',
        category: 'Continuity',
        due_date: day(55),
      },
      linkWith(34, 'editor', 'R-018', 'A.8.6', 'Nimbus Harbour'),
    ),
  ];
}
