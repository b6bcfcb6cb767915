/** The kinds of things that a person should know about how rows were read. */
export type NoteKind =
  /** A word that was read as another value. */
  | 'WORD'
  /** A cell such as "n/a" that was read as empty. */
  | 'PLACEHOLDER'
  /** A name that was too long. Its whole text is in the description. */
  | 'SHORTENED_NAME'
  /** A row beside the table, such as a note. */
  | 'ASIDE'
  /** A line of a report that is no record, such as a figure. */
  | 'REPORT_LINE'
  /** A row that was imported before with other values. Its record stays as it is. */
  | 'READ_DIFFERENTLY'
  /** A row that changed a record with its name or reference, or would in a dry run. */
  | 'UPDATED'
  /** A row that was imported before, and whose record differs from it now. It stays as it is. */
  | 'OUTDATED'
  /** A record or another row with the same name or reference_id as a new row. */
  | 'SIMILAR'
  /** A column of a field that an update can't set. */
  | 'LEFT_OUT_COLUMN'
  /** A row whose reviewer, conditions and the like were left out, because no state tells of a past decision. */
  | 'STRAY_DECISION'
  /** A word that names no single member. */
  | 'UNKNOWN_MEMBER'
  | 'CONFUSABLE_MEMBER'
  /** A word that names no record. */
  | 'UNKNOWN_RECORD'
  /** A number that a clause and a control of Annex A have. */
  | 'UNCLEAR_NUMBER'
  /** A row of a crosswalk that names a control on one side only. */
  | 'SINGLE_CONTROL'
  /** A row of a crosswalk that says that its controls have no relation. */
  | 'UNRELATED';

/** One such thing, with the word, row or column that it is about. */
export interface Note {
  kind: NoteKind;
  text?: string;
}

/** A text of one kind, and the number of its notes. */
export interface CountedText {
  text: string;
  rows: number;
}

const MAX_WORD_CHARACTERS = 60;

/** Returns a word as messages quote it. */
export const shortWord = (word: string): string => word.slice(0, MAX_WORD_CHARACTERS);

/** Different texts of one kind that are remembered. */
const MAX_TEXTS = 1_000;

/** Counts the notes of an import, by kind and by text. The case of letters doesn't matter. */
export class Notes {
  private readonly kinds = new Map<NoteKind, { total: number; texts: Map<string, CountedText> }>();

  add(...notes: readonly Note[]): void {
    for (const { kind, text = '' } of notes) {
      const counted = this.kinds.get(kind) ?? { total: 0, texts: new Map() };
      const key = text.toLowerCase();
      const known = counted.texts.get(key);
      counted.total++;
      if (known !== undefined) known.rows++;
      else if (counted.texts.size < MAX_TEXTS) counted.texts.set(key, { text, rows: 1 });
      this.kinds.set(kind, counted);
    }
  }

  /** Returns the number of notes of a kind, and their different texts, the first one first. */
  of(kind: NoteKind): { total: number; texts: readonly CountedText[] } {
    const { total = 0, texts } = this.kinds.get(kind) ?? {};
    return { total, texts: [...(texts?.values() ?? [])] };
  }
}
