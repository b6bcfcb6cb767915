import type { ReportType } from '../report-type.ts';
import { changesSection, recordTypesOf } from '../sections/changes-section.ts';
import { periodBetween, periodFacts, periodInputs } from '../sections/period.ts';

export const changesBetween: ReportType = {
  title: 'Changes between two moments',
  acceptedInputs: ['from', 'to', 'record_types', 'owner_id'],
  requiredInputs: { from: 'a date, a time, a completed audit’s id, or a position' },
  collect: async (context) => {
    const { from, to } = context.inputs;
    const types = recordTypesOf(context)?.sort().join(',');
    const period = await periodBetween(context, from!, to);
    const { figures, section } = changesSection(context, period);
    return {
      inputs: { ...periodInputs(period), ...(types === undefined ? {} : { record_types: types }) },
      about: [...periodFacts(period), ...(types === undefined ? [] : [{ label: 'Only', value: types }])],
      figures,
      sections: [section],
    };
  },
};
