import { Refusal } from '../commands/refusal.ts';

/** A control as a framework brings it. `section_title` is its number, such as A.5.1; numbers are unique in a framework. */
export interface FrameworkControl {
  section_title: string;
  name: string;
  description?: string;
}

/** What is wrong with one entry of a file. `where` says which, as its reader would: "row 7", "control ac-2". */
export interface Problem {
  where: string;
  message: string;
}

/** Limits of the wire, in characters. */
export const NAME_LENGTH = 200;
const DESCRIPTION_LENGTH = 10_000;

/** More would fill a screen without helping. */
const PROBLEMS_SHOWN = 20;

/** Control characters, and those that turn the direction of text around; a description may have line feeds and tabs. */
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;

/**
 * Puts together what a file says of its controls: texts tidied, empty descriptions left out. Every problem is found
 * before the file is refused, so that it can be mended in one go.
 */
export class ControlList {
  readonly controls: FrameworkControl[] = [];
  private readonly problems: Problem[] = [];
  /** Where each number was first seen. */
  private readonly seen = new Map<string, string>();

  add(where: string, given: { section_title: string; name: string; description?: string | undefined }): void {
    const control = tidied(given);
    const problems = [...problemsOf(control), ...this.repeated(where, control.section_title)];
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

  private repeated(where: string, number: string): string[] {
    const first = this.seen.get(number);
    if (first === undefined) this.seen.set(number, where);
    return first === undefined || number === '' ? [] : [`has the number ${shown(number)} of ${first}`];
  }
}

function tidied(given: { section_title: string; name: string; description?: string | undefined }): FrameworkControl {
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
    ['number', section_title, NAME_LENGTH],
    ['title', name, NAME_LENGTH],
    ['description', description, DESCRIPTION_LENGTH],
  ] as const) {
    if (text.length > longest) problems.push(`has a ${what} of ${text.length} characters, ${longest} are allowed`);
    if (FORBIDDEN.test(text) || !text.isWellFormed()) problems.push(`has a ${what} with a character that is not text`);
  }
  return problems;
}

function refusal(problems: readonly Problem[]): Refusal {
  const listed = problems.slice(0, PROBLEMS_SHOWN).map(({ where, message }) => `${where} ${message}`);
  const rest = problems.length > PROBLEMS_SHOWN ? `; and ${problems.length - PROBLEMS_SHOWN} more` : '';
  return new Refusal('invalid_input', `Mend the file and repeat: ${listed.join('; ')}${rest}.`, {
    issues: problems.map(({ where, message }) => ({ field: where, message })),
  });
}

/** A number as a message quotes it: it may be somebody's whole paragraph in the wrong column. */
function shown(number: string): string {
  return number.length > 40 ? `${number.slice(0, 40)}…` : number;
}
