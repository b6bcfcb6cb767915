/** The texts of a record's fields, by name. */
export type FieldTexts = ReadonlyMap<string, string>;

/** A form's edits beside the changes that others made since the form was opened. */
export interface MergedEdits {
  /** The fields to change, with their new texts. */
  changes: FieldTexts;
  /** The fields that others changed and the form did not. */
  theirs: readonly string[];
  /** The fields that both changed, to different values. */
  contested: readonly string[];
}

/**
 * Compares what was typed with the record as the form showed it, and with the record now. For example, a form that changes
 * the owner of a risk whose likelihood somebody raised meanwhile changes the owner alone.
 * @param typed only the fields that the form has
 */
export function mergeEdits(shown: FieldTexts, now: FieldTexts, typed: FieldTexts): MergedEdits {
  const changes = new Map<string, string>();
  const theirs: string[] = [];
  const contested: string[] = [];
  for (const [name, text] of typed) {
    const isTyped = text !== shown.get(name);
    const isTheirs = now.get(name) !== shown.get(name);
    if (isTheirs && !isTyped) theirs.push(name);
    if (!isTyped || text === now.get(name)) continue;
    if (isTheirs) contested.push(name);
    changes.set(name, text);
  }
  return { changes, theirs, contested };
}
