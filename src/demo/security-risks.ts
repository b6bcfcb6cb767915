import {
  acceptRisk,
  decideRisk,
  inherent,
  residual,
  riskStory,
  type Story,
  type StoryContext,
  updateRisk,
} from './story.ts';

/** Returns the stories of risks to the laboratory's systems. */
export function securityRisks({ day, accountId }: StoryContext): Story[] {
  const admin = accountId('admin');
  return [
    riskStory(
      716,
      {
        reference_id: 'R-001',
        name: 'Ransomware stops the laboratory',
        description: 'Encrypted analyser workstations and databases: no results for days.',
        category: 'Security',
        owner_id: admin,
        ...inherent([4, 5]),
      },
      updateRisk(699, 'admin', { status: 'IN_TREATMENT', treatment: 'MITIGATED' }),
      updateRisk(520, 'admin', residual([3, 5]), 'Analyser network separated'),
      updateRisk(330, 'admin', residual([2, 5]), 'Restore from off-site copies tested successfully'),
      updateRisk(60, 'admin', { ...residual([2, 4]), next_review_due: day(120) }, 'A restore now takes five hours'),
    ),
    riskStory(
      711,
      {
        reference_id: 'R-005',
        name: 'Staff enter passwords on a phishing site',
        category: 'Security',
        owner_id: accountId('owner'),
        ...inherent([5, 5]),
      },
      updateRisk(650, 'admin', residual([3, 5]), 'Multi-factor authentication for all'),
      updateRisk(350, 'admin', { ...residual([2, 5]), next_review_due: day(-3) }, 'Exercise: 6 of 81 clicked'),
      updateRisk(30, 'admin', residual([3, 5]), 'Exercise: 17 of 94 clicked, most of them new'),
    ),
    riskStory(
      708,
      {
        reference_id: 'R-006',
        name: 'Analyser workstations run without security updates',
        description: 'The manufacturers approve updates months late.',
        category: 'Security',
        owner_id: admin,
        ...inherent([4, 4]),
        ...residual([3, 3]),
      },
      acceptRisk(600, 'admin', day(-236), 'No update is approved; the network is separated and monitored'),
    ),
    riskStory(
      665,
      {
        reference_id: 'R-011',
        name: 'A laptop with patient data is lost',
        category: 'Security',
        owner_id: admin,
        ...inherent([4, 3]),
        ...residual([3, 1]),
      },
      decideRisk(560, 'admin', 'CLOSE', 'All disks are encrypted and can be wiped remotely'),
    ),
    riskStory(
      612,
      {
        reference_id: 'R-012',
        name: 'A key of the hospital interface leaks',
        category: 'Security',
        owner_id: admin,
        ...inherent([3, 5]),
      },
      updateRisk(500, 'admin', residual([2, 5]), 'Keys are rotated every 90 days'),
      decideRisk(420, 'admin', 'CLOSE', 'Keys are kept in a vault'),
      decideRisk(290, 'admin', 'REOPEN', 'A key was found in a build log'),
      updateRisk(240, 'admin', { status: 'IN_TREATMENT', ...residual([2, 4]) }, 'Build logs are scanned for keys'),
    ),
    riskStory(
      460,
      {
        reference_id: 'R-015',
        name: 'Access rights accumulate as people change teams',
        category: 'Security',
        owner_id: admin,
        ...inherent([4, 3]),
      },
      updateRisk(340, 'admin', residual([3, 3]), 'Team leads review access rights twice a year'),
      updateRisk(155, 'admin', residual([2, 3]), 'Access rights follow the HR record'),
    ),
    riskStory(
      395,
      {
        reference_id: 'R-016',
        name: 'A vulnerability in an open-source library exposes the portal',
        category: 'Security',
        owner_id: admin,
        ...inherent([4, 4]),
      },
      updateRisk(280, 'admin', { status: 'IN_TREATMENT', treatment: 'MITIGATED' }),
      updateRisk(97, 'admin', residual([2, 4]), 'Known vulnerabilities block a release'),
    ),
  ];
}
