import type { ReportType } from '../report-type.ts';
import { changesSection } from '../sections/changes-section.ts';
import { periodBetween, periodFacts, periodInputs } from '../sections/period.ts';

export const changesBetween: ReportType = {
  title: 'Changes between two moments',
  acceptedInputs: ['from', 'to'],
  requiredInputs: { from: 'a date, a time, a completed audit’s id, or a position' },
  collect: async (context) => {
    const { from, to } = context.inputs;
    const period = await periodBetween(context, from!, to);
    const { figures, section } = changesSection(context, period);
    return { inputs: periodInputs(period), about: periodFacts(period), figures, sections: [section] };
  },
};
