/** Terms in which a refused word is clear, in small letters with a space between. */
export const TERMS: readonly { term: string; reason: string }[] = [
  { term: 'not found', reason: 'the name of the error, in HTTP and in MCP' },
  { term: 'kept seal', reason: 'docs/glossary.md defines it' },
];

/** A finding that is accepted. The check refuses exceptions that no longer match a finding. */
export interface Exception {
  file: string;
  /** The name, or the text's first words, as the finding quotes them. */
  text: string;
  reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [];
