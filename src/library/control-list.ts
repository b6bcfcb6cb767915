import { isDeepStrictEqual } from 'node:util';
import { FORBIDDEN_IN_TEXTS } from '../commands/engine/forbidden-characters.ts';
import { Refusal } from '../commands/engine/refusal.ts';

/** A control of a framework. `section_title` is its identifier, such as A.5.1. Identifiers are unique in a framework. */
export interface FrameworkControl {
  section_title: string;
  name: string;
  description?: string;
  /** The headings above it, the outermost first: "Access control › Accounts". */
  group?: string;
  /** The identifier of the control that it belongs to, such as AC-2 for AC-2(1). */
  parent?: string;
}

/** A control as a file states it. Its texts are not checked yet. */
export interface ControlEntry {
  section_title: string;
  name: string;
  text?: string | undefined;
  /** Titles of the groups around it, the outermost first. */
  groups?: readonly string[] | undefined;
  parent?: string | undefined;
}

/** The controls of a file, and what differs from it. */
export interface ControlReading {
  controls: FrameworkControl[];
  /** A text for the adoption that lists withdrawn controls. Null if there are none. */
  note: string | null;
  /** Sentences about what was shortened, renumbered or left out. */
  notices: string[];
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
const MAX_LISTED_NUMBERS = 10;

/** Stands between the titles of groups. */
const GROUP_SEPARATOR = ' › ';

/** The word before a number that stands for a title, as in "Control: ism-0714". */
const GENERIC_TITLE = /^(?:control|requirement)\b:?\s*/i;

/** Line ends of all kinds. Some catalogs have line separators. */
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** The first entry with an identifier, in any case. */
interface FirstUse {
  location: string;
  entry: ControlEntry;
  section_title: string;
  /** The number of entries that differ from it only in case. */
  variants: number;
}

/**
 * Collects the controls of a file: normalizes their texts, shortens long titles and fills in missing ones. It finds all
 * problems before it refuses the file, so that a person can fix them in one go.
 */
export class ControlList {
  private readonly controls: FrameworkControl[] = [];
  private readonly problems: EntryProblem[] = [];
  private readonly withdrawn: { section_title: string; name: string }[] = [];
  /** By identifier in lower case: the entry that first used it. */
  private readonly firstUses = new Map<string, FirstUse>();
  /** Identifiers of controls, by what was done to them. */
  private readonly shortened: string[] = [];
  private readonly untitled: string[] = [];
  private readonly renumbered: string[] = [];
  private readonly repeated: string[] = [];

  /** @param withText uses the controls' texts as their descriptions. Else only titles that don't fit are kept there */
  constructor(private readonly withText: boolean) {}

  add(location: string, entry: ControlEntry): void {
    const { control, isShortened, isUntitled } = this.controlOf(entry);
    const first = this.firstUses.get(control.section_title.toLowerCase());
    if (first !== undefined && isDeepStrictEqual(first.entry, entry)) {
      this.repeated.push(control.section_title);
      return;
    }
    const problems = [...problemsOf(control), ...this.giveOwnNumber(control, first)];
    this.problems.push(...problems.map((message) => ({ location, message })));
    const { section_title } = control;
    if (section_title !== '') {
      const key = section_title.toLowerCase();
      this.firstUses.set(key, this.firstUses.get(key) ?? { location, entry, section_title, variants: 0 });
    }
    this.controls.push(control);
    if (isShortened) this.shortened.push(section_title);
    if (isUntitled) this.untitled.push(section_title);
  }

  /** Records a control that the publisher has withdrawn. */
  withdraw(location: string, entry: Pick<ControlEntry, 'section_title' | 'name'>): void {
    const [section_title, name] = [oneLine(entry.section_title), oneLine(entry.name)];
    this.withdrawn.push({ section_title, name });
    if (!isText(section_title + name)) this.refuse(location, 'has a number or title with a character that is not text');
  }

  /** Records a problem with an entry that can't be read as a control. */
  refuse(location: string, message: string): void {
    this.problems.push({ location, message });
  }

  /** Returns the controls in the file's order. @throws Refusal if there is a problem, or no control */
  finish(): ControlReading {
    if (this.problems.length > 0) throw refusal(this.problems);
    if (this.controls.length === 0) {
      throw new Refusal('invalid_input', 'The file has no controls. Choose a file with at least one.');
    }
    return { controls: this.controls, note: this.note(), notices: this.notices() };
  }

  private controlOf(entry: ControlEntry) {
    const section_title = oneLine(entry.section_title);
    const text = (entry.text ?? '').replaceAll(LINE_ENDS, '\n').normalize('NFC').trim();
    const title = oneLine(entry.name);
    const isUntitled = title === '' || title.replace(GENERIC_TITLE, '') === section_title;
    const wholeName = isUntitled ? oneLine(text.split('\n', 1)[0]!) || section_title : title;
    const isShortened = wholeName.length > MAX_NAME_LENGTH;
    const name = isShortened ? firstWords(wholeName) : wholeName;
    const lost = isShortened && !(this.withText && text.startsWith(wholeName)) ? wholeName : '';
    const description = [lost, this.withText ? text : ''].filter((part) => part !== '').join('\n\n');
    const group = groupOf(entry.groups ?? []);
    const control: FrameworkControl = {
      section_title,
      name,
      ...(description === '' ? {} : { description }),
      ...(group === '' ? {} : { group }),
      ...(entry.parent === undefined ? {} : { parent: oneLine(entry.parent) }),
    };
    return { control, isShortened, isUntitled: title === '' };
  }

  /**
   * Changes a number that differs from another only in case, because filters ignore case. Returns the problem with one
   * that is the same.
   */
  private giveOwnNumber(control: FrameworkControl, first: FirstUse | undefined): string[] {
    const { section_title } = control;
    if (first === undefined) return [];
    if (first.section_title === section_title) {
      return [`has the same number ${shorten(section_title)} as ${first.location}`];
    }
    do {
      first.variants++;
      control.section_title = `${section_title} (${first.variants + 1})`;
    } while (this.firstUses.has(control.section_title.toLowerCase()));
    this.renumbered.push(`${section_title} as ${control.section_title}`);
    return [];
  }

  /** Lists the withdrawn controls with their titles, or only their numbers if there are many. */
  private note(): string | null {
    if (this.withdrawn.length === 0) return null;
    const head = `Withdrawn by the publisher and not adopted (${this.withdrawn.length}):`;
    const titles = this.withdrawn.map(({ section_title, name }) => `${section_title} ${name}`.trim());
    const full = [head, ...titles].join('\n');
    if (full.length <= MAX_DESCRIPTION_LENGTH) return full;
    const numbers = `${head} ${this.withdrawn.map(({ section_title }) => section_title).join(', ')}`;
    return numbers.length <= MAX_DESCRIPTION_LENGTH ? numbers : `${numbers.slice(0, MAX_DESCRIPTION_LENGTH - 1)}…`;
  }

  private notices(): string[] {
    const texts: [readonly string[], string][] = [
      [
        this.withdrawn.map(({ section_title }) => section_title),
        'Withdrawn controls were left out, the note lists them',
      ],
      [this.repeated, 'Entries that repeat another one exactly were left out'],
      [
        this.shortened,
        `Titles of more than ${MAX_NAME_LENGTH} characters were shortened. The descriptions have them whole`,
      ],
      [this.untitled, 'Controls without a title got the first words of their text, or else their number'],
      [this.renumbered, 'Numbers that differ from another only in case got a number behind them'],
    ];
    return texts
      .filter(([numbers]) => numbers.length > 0)
      .map(([numbers, sentence]) => `${sentence} (${numbers.length}): ${listNumbers(numbers)}.`);
  }
}

function listNumbers(numbers: readonly string[]): string {
  const more = numbers.length - MAX_LISTED_NUMBERS;
  const listed = numbers.slice(0, MAX_LISTED_NUMBERS).map(shorten).join(', ');
  return more > 0 ? `${listed} and ${more} more` : listed;
}

/** Returns the titles of groups as one text. The outermost ones are left out if it would be too long. */
function groupOf(titles: readonly string[]): string {
  const inner = titles.map(oneLine).filter((title) => title !== '');
  while (inner.length > 1 && inner.join(GROUP_SEPARATOR).length > MAX_NAME_LENGTH) inner.shift();
  const group = inner.join(GROUP_SEPARATOR);
  return group.length > MAX_NAME_LENGTH ? firstWords(group) : group;
}

function oneLine(text: string): string {
  return text
    .replaceAll(/[\s\u0085]+/g, ' ')
    .normalize('NFC')
    .trim();
}

/** Returns as many words as a name may have. */
function firstWords(text: string): string {
  const characters = text.slice(0, MAX_NAME_LENGTH - 1).replace(/\s+\S*$/, '');
  // A single long word may be cut within a surrogate pair.
  return `${characters.replace(/[\ud800-\udbff]$/, '')}…`;
}

function isText(text: string): boolean {
  return !FORBIDDEN_IN_TEXTS.test(text) && text.isWellFormed();
}

function problemsOf({ section_title, name, description = '', group = '', parent = '' }: FrameworkControl): string[] {
  const problems: string[] = [];
  if (section_title === '') problems.push('has no number');
  if (name === '') problems.push('has no title');
  for (const [label, text, maxLength] of [
    ['number', section_title, MAX_NAME_LENGTH],
    ['title', name, MAX_NAME_LENGTH],
    ['description', description, MAX_DESCRIPTION_LENGTH],
    ['group', group, MAX_NAME_LENGTH],
    ['parent', parent, MAX_NAME_LENGTH],
  ] as const) {
    if (text.length > maxLength) problems.push(`has a ${label} of ${text.length} characters, ${maxLength} are allowed`);
    if (!isText(text)) problems.push(`has a ${label} with a character that is not text`);
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
