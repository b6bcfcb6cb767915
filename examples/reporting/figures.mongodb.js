/*
 * The figures of figures.sql for MongoDB, as stages of aggregations. In mongosh:
 *
 *     load('figures.mongodb.js'); use('veritrail_reports');
 *     db.risks.aggregate(figures({ organization: 'org_…', day: '2026-06-30', position: 0 }).risks_by_priority[1])
 *
 * Each figure is a collection and the stages on it. They need no operator that compatible servers lack, such as $lookup. So
 * `controls_without_valid_evidence` takes what two others found:
 *
 *     const rowsOf = (name, input) => db[figures(input)[name][0]].aggregate(figures(input)[name][1]).toArray();
 *     const evidence = rowsOf('valid_evidence', input).map(({ id }) => id);
 *     const links = rowsOf('links_of_evidence', { ...input, evidence });
 *     const evidenced = links.flatMap(({ record_id, other_id }) => [record_id, other_id]);
 *     rowsOf('controls_without_valid_evidence', { ...input, evidenced });
 */
globalThis.figures = ({ organization, day, position, evidence = [], evidenced = [] }) => {
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
    valid_evidence: [
      'evidence',
      [
        {
          $match: {
            ...ofOrganization,
            archived_at: null,
            $or: [{ valid_until: null }, { valid_until: { $gte: until } }],
          },
        },
      ],
    ],
    links_of_evidence: [
      'links',
      [
        {
          $match: {
            ...ofOrganization,
            until_position: null,
            $or: [{ record_id: { $in: evidence } }, { other_id: { $in: evidence } }],
          },
        },
      ],
    ],
    controls_without_valid_evidence: [
      'controls',
      [{ $match: { ...ofOrganization, archived_at: null, id: { $nin: evidenced } } }, { $sort: { id: 1 } }],
    ],
    /** The first row of each framework is the newest. */
    coverage_by_framework: [
      'framework_figures_daily',
      [
        { $match: { ...ofOrganization, figure: 'coverage', day: { $lte: until } } },
        { $sort: { framework_id: 1, day: -1 } },
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
