import { DUE_KINDS } from '../../../reports/sections/due-rows.ts';

const REQUESTS: ReadonlyMap<string, string> = new Map(DUE_KINDS.map(({ name, request }) => [name, request]));

/** Returns what a due item asks of its owner. @param name the kind of item, such as RISK_REVIEW */
export function dueRequest(name: string): string {
  return REQUESTS.get(name)!;
}

/** Returns a due date relative to a day, such as "4 days over", "today" or "in 12 days". */
export function dueDistance(due: string, today: string): string {
  const days = Math.round((Date.parse(due) - Date.parse(today)) / 86_400_000);
  if (days === 0) return 'today';
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return days < 0 ? `${count} over` : `in ${count}`;
}
