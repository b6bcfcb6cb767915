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
export function businessRisks({ day, account }: StoryContext): Story[] {
  const owner = account('owner');
  const admin = account('admin');
  const editor = account('editor');
  return [
    riskStory(
      716,
      {
        reference_id: 'R-002',
        name: 'Result sent to the wrong clinic',
        description: 'A mix-up of clinic numbers discloses findings to strangers.',
        category: 'Privacy',
        owner_id: editor,
        ...inherent([3, 5]),
      },
      updateRisk(690, 'editor', { status: 'IN_TREATMENT', treatment: 'MITIGATED' }),
      updateRisk(433, 'editor', residual([2, 5]), 'Clinic is confirmed by a second number'),
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
      decideRisk(301, 'owner', 'REVOKE', 'Its time is over; decided anew tomorrow'),
      acceptRisk(300, 'owner', day(45), 'For a year again; a second region is planned with the new contract'),
    ),
    riskStory(
      713,
      {
        reference_id: 'R-004',
        name: 'One person knows the interface to the hospitals',
        category: 'People',
        owner_id: owner,
        ...inherent([4, 4]),
      },
      updateRisk(640, 'owner', { status: 'IN_TREATMENT', treatment: 'MITIGATED' }),
      updateRisk(380, 'owner', residual([2, 4]), 'A second engineer has been on call for three months'),
      decideRisk(180, 'owner', 'CLOSE', 'Three engineers share the work; documented and tried in the holidays'),
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
      updateRisk(233, 'editor', residual([2, 3]), 'Second warehouse and six weeks of stock'),
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
      updateRisk(410, 'admin', residual([1, 4]), 'Each look-up is logged and a sample is read monthly'),
    ),
    riskStory(
      555,
      {
        reference_id: 'R-013',
        name: 'New rules for laboratory-made tests come into force',
        category: 'Regulation',
        owner_id: owner,
        ...inherent([4, 3]),
      },
      acceptRisk(400, 'owner', day(-60), 'The rules are not final; counsel watches them'),
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
      decideRisk(330, 'editor', 'CLOSE', 'The room is empty: everything is hosted since the move'),
      archive(90, 'The building was given up'),
    ),
    riskStory(
      315,
      {
        reference_id: 'R-017',
        name: 'Nobody knows how long findings must be kept',
        category: 'Privacy',
        owner_id: editor,
        ...inherent([3, 3]),
      },
      acceptRisk(295, 'admin', day(60), 'Counsel writes the schedule; nothing is deleted until then'),
      updateRisk(110, 'editor', inherent([4, 3]), 'A clinic asked for deletion and could not be answered'),
    ),
    riskStory(
      205,
      {
        reference_id: 'R-018',
        name: 'Flood of requests makes the portal unreachable',
        category: 'Continuity',
        owner_id: admin,
        ...inherent([3, 3]),
      },
      acceptRisk(170, 'admin', day(150), 'Results also go out by the hospital interface, which is not on the internet'),
    ),
    riskStory(
      36,
      {
        reference_id: 'R-019',
        name: 'Speech recognition writes a wrong finding',
        description: 'A negation is lost and nobody reads the text again.',
        category: 'Quality',
        owner_id: editor,
        ...inherent([4, 5]),
        next_review_due: day(10),
      },
      updateRisk(9, 'editor', { note: 'Trial with 200 dictations begins; doctors sign every text' }),
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
        name: 'Cyber insurance ends before it is renewed',
        category: 'Finance',
        owner_id: owner,
        ...inherent([2, 4]),
        treatment: 'TRANSFERRED',
      },
      updateRisk(1, 'owner', { next_review_due: day(60) }, 'Broker asked for three offers'),
    ),
  ];
}
