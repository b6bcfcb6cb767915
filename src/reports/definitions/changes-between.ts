import type { ReportType } from '../report-type.ts';
import { changesSection, recordTypesOf } from '../sections/changes-section.ts';
import { versionOf } from '../sections/first-version.ts';
import { periodBetween, periodFacts, periodInputs } from '../sections/period.ts';

export const changesBetween: ReportType = {
  title: 'Changes between two moments',
  acceptedInputs: ['from', 'to', 'record_types', 'owner_id', 'report_version'],
  requiredInputs: { from: 'a date, a time, a completed audit’s id, or a position' },
  collect: async (context) => {
    const { from, to } = context.inputs;
    const types = recordTypesOf(context)?.sort().join(',');
    const period = await periodBetween(context, from!, to);
    const { figures, section } = changesSection(context, period);
    return {
      ...versionOf(context),
      inputs: { ...periodInputs(period), ...(types === undefined ? {} : { record_types: types }) },
      about: [...periodFacts(period), ...(types === undefined ? [] : [{ label: 'Only', value: types }])],
      figures,
      sections: [section],
    };
  },
};
