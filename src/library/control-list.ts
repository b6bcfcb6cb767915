import { Refusal } from '../commands/refusal.ts';

/** A control as a framework brings it. `section_title` is its number, such as A.5.1; numbers are unique in a framework. */
export interface FrameworkControl {
  section_title: string;
  name: string;
  description?: string;
}

/** What is wrong with one entry of a file. `where` says which, as its reader would: "row 7", "control ac-2". */
export interface EntryProblem {
  where: string;
  message: string;
}

/** Limits of the wire, in characters. */
export const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 10_000;

/** More would fill a screen without helping. */
const MAX_LISTED_PROBLEMS = 20;

/** Control characters, and those that turn the direction of text around; a description may have line feeds and tabs. */
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;

/**
 * Puts together what a file says of its controls: texts tidied, empty descriptions left out. Every problem is found
 * before the file is refused, so that it can be mended in one go.
 */
export class ControlList {
  readonly controls: FrameworkControl[] = [];
  private readonly problems: EntryProblem[] = [];
  /** Where each number was first seen. */
  private readonly firstUseOfNumber = new Map<string, string>();

  add(where: string, entry: { section_title: string; name: string; description?: string | undefined }): void {
    const control = normalizeControl(entry);
    const problems = [...problemsOf(control), ...this.duplicateNumber(where, control.section_title)];
    if (problems.length === 0) this.controls.push(control);
    else this.problems.push(...problems.map((message) => ({ where, message })));
  }

  /** Notes an entry that cannot even be read as a control. */
  refuse(where: string, message: string): void {
    this.problems.push({ where, message });
  }

  /** The controls in the file's order. Refuses a file with a problem, or without a control. */
  finish(): FrameworkControl[] {
    if (this.problems.length > 0) throw refusal(this.problems);
    if (this.controls.length === 0) {
      throw new Refusal('invalid_input', 'The file has no controls: give one that has at least one.');
    }
    return this.controls;
  }

  private duplicateNumber(where: string, number: string): string[] {
    const first = this.firstUseOfNumber.get(number);
    if (first === undefined) this.firstUseOfNumber.set(number, where);
    return first === undefined || number === '' ? [] : [`has the number ${shortened(number)} of ${first}`];
  }
}

function normalizeControl(given: {
  section_title: string;
  name: string;
  description?: string | undefined;
}): FrameworkControl {
  const description = (given.description ?? '').replaceAll(/\r\n?/g, '\n').normalize('NFC').trim();
  const control = { section_title: oneLine(given.section_title), name: oneLine(given.name) };
  return description === '' ? control : { ...control, description };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').normalize('NFC').trim();
}

function problemsOf({ section_title, name, description = '' }: FrameworkControl): string[] {
  const problems: string[] = [];
  if (section_title === '') problems.push('has no number');
  if (name === '') problems.push('has no title');
  for (const [what, text, longest] of [
    ['number', section_title, MAX_NAME_LENGTH],
    ['title', name, MAX_NAME_LENGTH],
    ['description', description, MAX_DESCRIPTION_LENGTH],
  ] as const) {
    if (text.length > longest) problems.push(`has a ${what} of ${text.length} characters, ${longest} are allowed`);
    if (FORBIDDEN.test(text) || !text.isWellFormed()) problems.push(`has a ${what} with a character that is not text`);
  }
  return problems;
}

function refusal(problems: readonly EntryProblem[]): Refusal {
  const listed = problems.slice(0, MAX_LISTED_PROBLEMS).map(({ where, message }) => `${where} ${message}`);
  const rest = problems.length > MAX_LISTED_PROBLEMS ? `; and ${problems.length - MAX_LISTED_PROBLEMS} more` : '';
  return new Refusal('invalid_input', `Mend the file and repeat: ${listed.join('; ')}${rest}.`, {
    issues: problems.map(({ where, message }) => ({ field: where, message })),
  });
}

/** A number as a message quotes it: it may be somebody's whole paragraph in the wrong column. */
function shortened(number: string): string {
  return number.length > 40 ? `${number.slice(0, 40)}…` : number;
}
