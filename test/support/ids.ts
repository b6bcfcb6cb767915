import { controlId, randomId } from '../../src/commands/engine/ids.ts';
import { RECORD_PREFIXES as RECORD_KINDS } from '../../src/register/families.ts';

export { RECORD_KINDS };

/** The kinds of ids there are. */
export const KINDS = ['org', ...RECORD_KINDS, 'acc', 'tok'];

/** Returns an id with this prefix that no record has. */
export function idOf(kind: string): string {
  return kind === 'ctl' ? controlId(randomId('frm'), 0) : randomId(kind);
}

/** The kinds that a pattern of ids (see fields.ts) takes, in its order. */
export function kindsIn(pattern: unknown): string[] {
  return [...String(pattern).matchAll(/\b([a-z]{3})_\[/g)].map(([, kind]) => kind!);
}
