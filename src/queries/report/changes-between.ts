import { periodOf } from './changes.ts';
import type { ReportType } from './report-type.ts';

export const changesBetween: ReportType = {
  title: 'Changes between two moments',
  takes: ['from', 'to'],
  needs: { from: 'a date, a time, a completed audit’s id, or a position' },
  draw: async (context) => {
    const { from, to = null } = context.inputs;
    const { first, last, figures, section } = await periodOf(context, from!, to);
    return { inputs: { from_position: String(first), to_position: String(last) }, figures, sections: [section] };
  },
};
