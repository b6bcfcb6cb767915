import { escapeMarkup } from '../charts/plot.ts';

const DAY = /\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g;
const EXPIRED = /\(expired <span class="word">[\d-]+<\/span>\)/g;

/** Escapes a text for HTML. Dates don't break at the end of a line, and expired evidence stands out. */
export function textMarkup(text: string): string {
  const days = escapeMarkup(text).replace(DAY, '<span class="word">$&</span>');
  return days.replace(EXPIRED, '<span class="alarm">$&</span>');
}
