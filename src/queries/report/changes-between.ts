import { changesOf } from './changes.ts';
import { aboutPeriod, inputsOfPeriod, periodAsked } from './period.ts';
import type { ReportType } from './report-type.ts';

export const changesBetween: ReportType = {
  title: 'Changes between two moments',
  takes: ['from', 'to'],
  needs: { from: 'a date, a time, a completed audit’s id, or a position' },
  draw: async (context) => {
    const { from, to } = context.inputs;
    const period = await periodAsked(context, from!, to);
    const { figures, section } = changesOf(context, period);
    return { inputs: inputsOfPeriod(period), about: aboutPeriod(period), figures, sections: [section] };
  },
};
