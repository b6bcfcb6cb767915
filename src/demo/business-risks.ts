import {
  acceptRisk,
  archive,
  decideRisk,
  inherent,
  residual,
  riskStory,
  type Story,
  type StoryContext,
  updateRisk,
} from './story.ts';

/** Returns the stories of risks to the laboratory's patients, staff and business. */
export function businessRisks({ day, accountId }: StoryContext): Story[] {
  const owner = accountId('owner');
  const admin = accountId('admin');
  const editor = accountId('editor');
  return [
    riskStory(
      716,
      {
        reference_id: 'R-002',
        name: 'Result sent to the wrong clinic',
        description: 'A mix-up of clinic numbers discloses findings to the wrong people.',
        category: 'Privacy',
        owner_id: editor,
        ...inherent([3, 5]),
      },
      updateRisk(690, 'editor', { status: 'IN_TREATMENT', treatment: 'MITIGATED' }),
      updateRisk(433, 'editor', residual([2, 5]), 'A second number confirms the clinic'),
      updateRisk(95, 'editor', residual([1, 5]), 'No case in twelve months'),
    ),
    riskStory(
      715,
      {
        reference_id: 'R-003',
        name: 'Outage of the hosting region',
        category: 'Continuity',
        owner_id: admin,
        ...inherent([2, 5]),
        ...residual([2, 4]),
      },
      acceptRisk(660, 'owner', day(-310), 'A second region costs more than two days by telephone and fax'),
      decideRisk(301, 'owner', 'REVOKE', 'The acceptance has expired; a new decision follows tomorrow'),
      acceptRisk(300, 'owner', day(45), 'For another year; the new contract includes a second region'),
    ),
    riskStory(
      713,
      {
        reference_id: 'R-004',
        name: 'Only one person knows the hospital interface',
        category: 'People',
        owner_id: owner,
        ...inherent([4, 4]),
      },
      updateRisk(640, 'owner', { status: 'IN_TREATMENT', treatment: 'MITIGATED' }),
      updateRisk(380, 'owner', residual([2, 4]), 'A second engineer has been on call for three months'),
      decideRisk(180, 'owner', 'CLOSE', 'Three engineers share the work; documented and tested during the holidays'),
    ),
    riskStory(
      706,
      {
        reference_id: 'R-007',
        name: 'Calibration drifts unnoticed',
        category: 'Quality',
        owner_id: editor,
        ...inherent([3, 5]),
        ...residual([1, 5]),
        next_review_due: day(-14),
      },
      updateRisk(365, 'editor', { note: 'Ring trial passed for all 42 tests' }),
    ),
    riskStory(
      700,
      {
        reference_id: 'R-008',
        name: 'Personal data leave the EEA unlawfully',
        category: 'Privacy',
        owner_id: editor,
        ...inherent([3, 4]),
      },
      updateRisk(570, 'editor', { status: 'IN_TREATMENT', treatment: 'AVOIDED' }),
      updateRisk(480, 'editor', residual([2, 4]), 'Video service replaced'),
      updateRisk(250, 'editor', residual([1, 4]), 'Transfer assessments of all vendors on file'),
      updateRisk(38, 'editor', residual([2, 4]), 'Speech recognition is proposed by a vendor outside the EEA'),
    ),
    riskStory(
      694,
      {
        reference_id: 'R-009',
        name: 'The only supplier of a reagent fails',
        category: 'Continuity',
        owner_id: editor,
        ...inherent([3, 4]),
      },
      updateRisk(
        510,
        'editor',
        { treatment: 'MITIGATED', status: 'IN_TREATMENT' },
        'A second source is being validated',
      ),
      updateRisk(
        233,
        'editor',
        residual([2, 3]),
        'The supplier has a second warehouse, and we stock six weeks of reagents',
      ),
    ),
    riskStory(
      680,
      {
        reference_id: 'R-010',
        name: 'Staff look up results of people they know',
        category: 'Privacy',
        owner_id: admin,
        ...inherent([3, 4]),
        ...residual([2, 4]),
      },
      updateRisk(410, 'admin', residual([1, 4]), 'Each look-up is logged, and a sample is reviewed monthly'),
    ),
    riskStory(
      555,
      {
        reference_id: 'R-013',
        name: 'New rules for in-house tests come into force',
        category: 'Regulation',
        owner_id: owner,
        ...inherent([4, 3]),
      },
      acceptRisk(400, 'owner', day(-60), 'The rules are not final; counsel monitors them'),
      decideRisk(130, 'owner', 'REVOKE', 'The rules are final: eleven tests need a file each'),
      updateRisk(129, 'owner', { status: 'IN_TREATMENT', treatment: 'MITIGATED', next_review_due: day(25) }),
    ),
    riskStory(
      515,
      {
        reference_id: 'R-014',
        name: 'Fire in the server room',
        category: 'Continuity',
        owner_id: editor,
        ...inherent([1, 5]),
        ...residual([1, 3]),
      },
      decideRisk(330, 'editor', 'CLOSE', 'The room is empty: all systems have been hosted since the move'),
      archive(90, 'The lease of the building ended'),
    ),
    riskStory(
      315,
      {
        reference_id: 'R-017',
        name: 'No retention schedule for findings',
        category: 'Privacy',
        owner_id: editor,
        ...inherent([3, 3]),
      },
      acceptRisk(295, 'admin', day(60), 'Counsel is writing the schedule; nothing is deleted until then'),
      updateRisk(110, 'editor', inherent([4, 3]), 'A clinic asked for deletion and could not be answered'),
    ),
    riskStory(
      205,
      {
        reference_id: 'R-018',
        name: 'Denial-of-service attack makes the portal unavailable',
        category: 'Continuity',
        owner_id: admin,
        ...inherent([3, 3]),
      },
      acceptRisk(
        170,
        'admin',
        day(150),
        'Results are also delivered through the hospital interface, which is not on the internet',
      ),
    ),
    riskStory(
      36,
      {
        reference_id: 'R-019',
        name: 'Speech recognition writes a wrong finding',
        description: 'A negation is lost, and the text is not proofread.',
        category: 'Quality',
        owner_id: editor,
        ...inherent([4, 5]),
        next_review_due: day(10),
      },
      updateRisk(9, 'editor', { note: 'A trial with 200 dictations has started; doctors approve every text' }),
    ),
    riskStory(5, {
      reference_id: 'R-020',
      name: 'Samples sent to an outside laboratory are mixed up',
      category: 'Quality',
      owner_id: editor,
    }),
    riskStory(
      2,
      {
        reference_id: 'R-021',
        name: 'Cyber insurance lapses before renewal',
        category: 'Finance',
        owner_id: owner,
        ...inherent([2, 4]),
        treatment: 'TRANSFERRED',
      },
      updateRisk(1, 'owner', { next_review_due: day(60) }, 'Three offers requested from the broker'),
    ),
  ];
}
