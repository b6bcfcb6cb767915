import { kindOf } from '../../commands/ids.ts';
import { Refusal } from '../../commands/refusal.ts';
import type { Condition } from '../../stores/read-store.ts';
import { beginOf, completionOf, endOf } from '../moment.ts';
import { changeFigures, changesSection } from './changes.ts';
import type { ReportContext, ReportType } from './report-type.ts';

export const changesReport: ReportType = {
  title: 'Changes between two moments',
  takes: ['from', 'to'],
  needs: { from: 'a date, a time, a completed audit’s id, or a position' },
  draw: async (context) => {
    const { from, to } = context.inputs;
    const first = await firstFrom(context, from!);
    const last = to === undefined ? context.moment.ordinal : await lastUntil(context, to);
    return {
      inputs: { from_position: String(first), to_position: String(last) },
      figures: () => changeFigures(context, first, last),
      sections: [changesSection(context, first, last)],
    };
  },
};

/** The first ordinal of a period: of a day its beginning. Beyond the report's moment there is nothing. */
export async function firstFrom(context: ReportContext, from: string): Promise<number> {
  const named = await ordinalOf(context, 'from', from);
  if (named !== null) return Math.max(1, named);
  const time = timeOf('from', beginOf(from));
  const after = context.moment.ordinal + 1;
  return Math.min(after, (await changeBy(context, { key: 'log_time', op: 'range', gte: time }, 'ASC')) ?? after);
}

/** The last ordinal of a period: of a day its end, and never beyond the report's moment. */
export async function lastUntil(context: ReportContext, to: string): Promise<number> {
  const named = await ordinalOf(context, 'to', to);
  const found =
    named ?? (await changeBy(context, { key: 'log_time', op: 'range', lte: timeOf('to', endOf(to)) }, 'DESC')) ?? 0;
  return Math.min(context.moment.ordinal, found);
}

/** Of a position or a completed audit; null where it is a time. */
async function ordinalOf(
  { reader, organizationId }: ReportContext,
  field: string,
  text: string,
): Promise<number | null> {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return kindOf(text) === 'aud' ? completionOf(reader, organizationId, text, field) : null;
}

function timeOf(field: string, time: string | null): string {
  if (time !== null) return time;
  const message = `Give ${field} as a date, a timestamp in UTC, a completed audit's id, or a position.`;
  throw new Refusal('invalid_input', message, { field });
}

async function changeBy(
  { reader, organizationId }: ReportContext,
  condition: Condition,
  direction: 'ASC' | 'DESC',
): Promise<number | null> {
  const order = { key: 'log_time', direction };
  const [found] = await reader.models.find({
    collection: 'changes',
    organizationId,
    where: [condition],
    order,
    limit: 1,
  });
  return found === undefined ? null : Number(found.doc.position);
}
