import { Refusal } from '../commands/engine/refusal.ts';

/** A control of a framework. `section_title` is its identifier, such as A.5.1. Identifiers are unique in a framework. */
export interface FrameworkControl {
  section_title: string;
  name: string;
  description?: string;
}

/** A problem with one entry of a file. `location` names the entry: "row 7", "control ac-2". */
export interface EntryProblem {
  location: string;
  message: string;
}

/** Limits of the addFramework tool, in characters. */
export const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 10_000;

/** Limit of problems in a message. The refusal's `issues` hold all of them. */
const MAX_LISTED_PROBLEMS = 20;

/** Control characters, and characters that change the direction of text. Line feeds and tabs are allowed. */
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;

/**
 * Collects the controls of a file: normalizes their texts and drops empty descriptions. It finds all problems before it
 * refuses the file, so that a person can fix them in one go.
 */
export class ControlList {
  readonly controls: FrameworkControl[] = [];
  private readonly problems: EntryProblem[] = [];
  /** The entry that first used each identifier. */
  private readonly firstUseByIdentifier = new Map<string, string>();

  add(location: string, entry: { section_title: string; name: string; description?: string | undefined }): void {
    const control = normalizeControl(entry);
    const problems = [...problemsOf(control), ...this.duplicateIdentifier(location, control.section_title)];
    if (problems.length === 0) this.controls.push(control);
    else this.problems.push(...problems.map((message) => ({ location, message })));
  }

  /** Records a problem with an entry that can't be read as a control. */
  refuse(location: string, message: string): void {
    this.problems.push({ location, message });
  }

  /** Returns the controls in the file's order. @throws Refusal if there is a problem, or no control */
  finish(): FrameworkControl[] {
    if (this.problems.length > 0) throw refusal(this.problems);
    if (this.controls.length === 0) {
      throw new Refusal('invalid_input', 'The file has no controls. Choose a file with at least one.');
    }
    return this.controls;
  }

  private duplicateIdentifier(location: string, identifier: string): string[] {
    const firstUse = this.firstUseByIdentifier.get(identifier);
    if (firstUse === undefined) this.firstUseByIdentifier.set(identifier, location);
    return firstUse === undefined || identifier === ''
      ? []
      : [`has the same number ${shorten(identifier)} as ${firstUse}`];
  }
}

function normalizeControl(entry: {
  section_title: string;
  name: string;
  description?: string | undefined;
}): FrameworkControl {
  const description = (entry.description ?? '').replaceAll(/\r\n?/g, '\n').normalize('NFC').trim();
  const control = { section_title: oneLine(entry.section_title), name: oneLine(entry.name) };
  return description === '' ? control : { ...control, description };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').normalize('NFC').trim();
}

function problemsOf({ section_title, name, description = '' }: FrameworkControl): string[] {
  const problems: string[] = [];
  if (section_title === '') problems.push('has no number');
  if (name === '') problems.push('has no title');
  for (const [label, text, maxLength] of [
    ['number', section_title, MAX_NAME_LENGTH],
    ['title', name, MAX_NAME_LENGTH],
    ['description', description, MAX_DESCRIPTION_LENGTH],
  ] as const) {
    if (text.length > maxLength) problems.push(`has a ${label} of ${text.length} characters, ${maxLength} are allowed`);
    if (FORBIDDEN.test(text) || !text.isWellFormed()) problems.push(`has a ${label} with a character that is not text`);
  }
  return problems;
}

function refusal(problems: readonly EntryProblem[]): Refusal {
  const texts = problems.slice(0, MAX_LISTED_PROBLEMS).map(({ location, message }) => `${location} ${message}`);
  const suffix = problems.length > MAX_LISTED_PROBLEMS ? `; and ${problems.length - MAX_LISTED_PROBLEMS} more` : '';
  return new Refusal('invalid_input', `Fix the file and repeat: ${texts.join('; ')}${suffix}.`, {
    issues: problems.map(({ location, message }) => ({ field: location, message })),
  });
}

/** Returns an identifier for a message, cut to 40 characters: the wrong column may hold whole paragraphs. */
function shorten(identifier: string): string {
  return identifier.length > 40 ? `${identifier.slice(0, 40)}…` : identifier;
}
