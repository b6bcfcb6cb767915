import { VERSION } from '../app/version.ts';
import type { Caller } from '../commands/organization/caller.ts';
import type { StoryCommand, StoryStep } from './story.ts';

/** Until that day, records came from spreadsheets. */
const IMPORTED_UNTIL_DAYS_AGO = 690;
/** The client that the command `veritrail import` names. */
const IMPORT = { name: 'veritrail import', version: VERSION };
/** Since that day, the editor works with an assistant. The others write by hand. */
const ASSISTANT_SINCE_DAYS_AGO = 365;
const ASSISTANT = { name: 'Claude', version: '' };

/** Returns the program that made a change; null for a change by hand. */
export function clientOfStep({ daysAgo, by, command }: StoryStep<StoryCommand>): Caller['client'] {
  if (by !== 'editor') return null;
  if (daysAgo >= IMPORTED_UNTIL_DAYS_AGO) return 'fields' in command ? IMPORT : null;
  return daysAgo <= ASSISTANT_SINCE_DAYS_AGO ? ASSISTANT : null;
}
