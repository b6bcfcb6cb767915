import { markupOf } from '../plots/plot.ts';

const DAY = /\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g;
const EXPIRED = /\(expired <span class="word">[\d-]+<\/span>\)/g;

/** A text as HTML shows it literally, no day broken at the end of a line, and what has run out standing out. */
export function textMarkup(text: string): string {
  const days = markupOf(text).replace(DAY, '<span class="word">$&</span>');
  return days.replace(EXPIRED, '<span class="alarm">$&</span>');
}
