/*
 * The figures of figures.sql for MongoDB, as stages of aggregations. In mongosh:
 *
 *     load('figures.mongodb.js'); use('veritrail_reports');
 *     db.risks.aggregate(figures({ organization: 'org_…', day: '2026-06-30', position: 0 }).risks_by_priority[1])
 *
 * Each figure is a collection and the stages on it. They need no operator that compatible servers lack.
 */
globalThis.figures = ({ organization, day, position }) => {
  const ofOrganization = { organization_id: organization };
  const until = new Date(day);
  const newestDay = [{ $match: { ...ofOrganization, day: { $lte: until } } }, { $sort: { day: -1 } }];
  return {
    risks_by_priority: [
      'risks',
      [
        { $match: { ...ofOrganization, archived_at: null, status: { $ne: 'CLOSED' }, priority: { $ne: null } } },
        { $group: { _id: '$priority', risks: { $sum: 1 }, total_score: { $sum: '$score' } } },
      ],
    ],
    /** The newest day. `posture_of_a_day` are the rows of figures_daily with that day. */
    newest_day: ['figures_daily', [...newestDay, { $limit: 1 }]],
    trend_of_coverage: [
      'figures_daily',
      [{ $match: { ...ofOrganization, figure: 'coverage', day: { $lte: until } } }, { $sort: { day: 1 } }],
    ],
    due_until_a_day: [
      'due_dates',
      [
        { $match: { ...ofOrganization, due_date: { $ne: null, $lte: until } } },
        { $sort: { due_date: 1, record_id: 1, what: 1 } },
      ],
    ],
    risks_by_score_and_owner: [
      'risks',
      [{ $match: { ...ofOrganization, archived_at: null } }, { $sort: { score: -1, id: 1 } }],
    ],
    vendors_overdue_for_review: [
      'due_dates',
      [
        { $match: { ...ofOrganization, what: 'VENDOR_REVIEW', due_date: { $ne: null, $lt: until } } },
        { $sort: { record_id: 1 } },
      ],
    ],
    changes_by_person: [
      'changes',
      [
        { $match: ofOrganization },
        { $group: { _id: '$actor_id', changes: { $sum: 1 } } },
        { $sort: { changes: -1, _id: 1 } },
      ],
    ],
    rows_changed_since_a_position: [
      'controls',
      [{ $match: { ...ofOrganization, changed_position: { $gt: position } } }, { $sort: { id: 1 } }],
    ],
  };
};
