import type { z } from 'zod';
import { type RecordCandidate, Refusal } from '../../commands/engine/refusal.ts';
import { plainInput, shapeOf } from './client-values.ts';
import { fullSchema, type JsonSchema } from './json-schema.ts';
import { nearestProperty } from './nearest-property.ts';
import { once } from './once.ts';
import { type RecordWord, recordPlaces, recordWordsIn } from './record-words.ts';

type Issue = z.core.$ZodIssue;

/** One error in an input. The message is a clause that follows the field's name, such as "is required". */
export interface InputProblem {
  field: string;
  message: string;
  allowed?: readonly string[];
  /** The records that a word in the field may name. */
  candidates?: readonly RecordCandidate[];
  /** Returns a hint, or null. It is computed only for problems that an answer shows. */
  hint?: () => string | null;
  /** Returns the names that exist where an unknown one was given. Shown if no problem has a hint. */
  known?: () => readonly string[];
  /** The message says what to do, so no hint is needed. */
  saysWhatToDo?: true;
}

/** Unknown property names come from the caller and can have any length. */
const MAX_PROPERTY_NAME_CHARACTERS = 100;
/** Bounds of an answer's `issues`: it lists the first problems and counts the others. */
const MAX_PROBLEMS = 100;
const MAX_ISSUES_CHARACTERS = 40_000;
/** Unknown names that are compared with the known ones. Bounds the cost of an input full of wrong names. */
const MAX_HINT_SEARCHES = 20;

/** The first problems of an input, and the number of all. Describing all could cost too much. */
export interface InputProblems {
  problems: InputProblem[];
  total: number;
}

/** Parses inputs by a schema. Make one for each schema, and keep it. */
export class InputParser<Schema extends z.ZodType> {
  private readonly madeSchema: () => Schema;
  private readonly sources: ReadonlyMap<string, string>;
  private readonly shape = once(() => shapeOf(this.schema));
  private readonly places = once(() => recordPlaces(this.shape()));
  /** The full JSON Schema, which accepts more than is published. Built when a caller first misspells a name. */
  private accepted: JsonSchema | undefined;

  /**
   * @param makeSchema called when the schema is first needed
   * @param sources by the path of a field that inputs can't set: where its value comes from, such as "follows from score"
   */
  constructor(makeSchema: () => Schema, sources: ReadonlyMap<string, string> = new Map()) {
    this.madeSchema = once(makeSchema);
    this.sources = sources;
  }

  get schema(): Schema {
    return this.madeSchema();
  }

  /** Returns an input in the one form that is read: see `client-values.ts`. */
  plain(input: unknown): unknown {
    return plainInput(this.shape(), input ?? {});
  }

  /** Returns the words that a plain input has in place of ids of records. */
  recordWords(plain: unknown): RecordWord[] {
    return recordWordsIn(this.places(), plain);
  }

  /**
   * Parses an input.
   * @param explained problems by field that the schema doesn't know, or describes less well
   * @throws Refusal invalid_input with every problem in `issues`, as far as they fit
   */
  parse(input: unknown, explained: ReadonlyMap<string, InputProblem> = new Map()): z.infer<Schema> {
    const result = this.tryParse(input);
    if ('data' in result && explained.size === 0) return result.data;
    const found = 'data' in result ? { problems: [], total: 0 } : result;
    const described = found.problems.map((problem) => {
      const better = explained.get(problem.field);
      return better && problem.allowed && !better.allowed
        ? { ...better, allowed: problem.allowed }
        : (better ?? problem);
    });
    const others = [...explained].filter(([name]) => found.problems.every(({ field }) => field !== name));
    const problems = [...new Set([...described, ...others.map(([, problem]) => problem)])];
    const total = found.total - found.problems.length + problems.length;
    const { hint, ...problem } = mostHelpfulProblem(problems);
    const issues = issuesThatFit(problems);
    const where = issues.length < total ? `the first ${issues.length} in issues` : 'see issues';
    const totalNote = total > 1 ? ` (${total} problems, ${where})` : '';
    throw new Refusal('invalid_input', `${problem.field || 'The input'} ${problem.message}${totalNote}.`, {
      ...(problem.field ? { field: problem.field } : {}),
      ...(problem.allowed ? { allowed: problem.allowed } : {}),
      ...(problem.candidates ? { candidates: problem.candidates } : {}),
      ...(hint ? { hint } : {}),
      issues,
    });
  }

  /** Parses an input, or returns its first problems. */
  tryParse(input: unknown, maxProblems = MAX_PROBLEMS): { data: z.infer<Schema> } | InputProblems {
    const result = this.schema.safeParse(this.plain(input));
    if (result.success) return { data: result.data };
    const problems: InputProblem[] = [];
    let total = 0;
    const { issues } = result.error;
    const wrongTypes = new Set(issues.filter(({ code }) => code === 'invalid_type').map(fieldOf));
    for (const issue of issues) {
      // zod also compares an array's bound with the length of a text in its place.
      if (isBound(issue) && wrongTypes.has(fieldOf(issue))) continue;
      const problemsLeft = maxProblems - problems.length;
      if (problemsLeft > 0) problems.push(...this.problemsOf(issue, input, problemsLeft));
      total += issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
    }
    return { problems, total };
  }

  private problemsOf(issue: Issue, input: unknown, maxProblems: number): InputProblem[] {
    if (issue.code !== 'unrecognized_keys') return [problemOf(issue, input)];
    return issue.keys.slice(0, maxProblems).map((key) => this.unknownProperty(key, issue.path));
  }

  private unknownProperty(key: string, path: readonly PropertyKey[]): InputProblem {
    const field = [...path, displayName(key)].join('.');
    const source = this.sources.get(field);
    if (source !== undefined) return { field, message: `can't be set here: it ${source}`, saysWhatToDo: true };
    return {
      field,
      message: 'is not a known property',
      hint: () => this.hintFor(key, path),
      known: () => this.propertiesAt(path),
    };
  }

  /** Returns which property may be meant: the same one further inside, one with this word in its name, or the nearest. */
  private hintFor(name: string, path: readonly PropertyKey[]): string | null {
    const candidates = this.propertiesAt(path);
    const outer = candidates.find((candidate) => this.propertiesAt([...path, candidate]).includes(name));
    const meant = outer === undefined ? nearestProperty(name, candidates) : `${outer}.${name}`;
    return meant === null ? null : `Did you mean ${meant}?`;
  }

  /** Returns the names of the properties that an input can have at a path. */
  private propertiesAt(path: readonly PropertyKey[]): string[] {
    this.accepted ??= fullSchema(this.schema);
    let schema = this.accepted as { properties?: Record<string, object>; items?: object };
    for (const key of path) schema = (typeof key === 'number' ? schema.items : schema.properties?.[String(key)]) ?? {};
    return Object.keys(schema.properties ?? {});
  }
}

/** Returns the first problem that says how to fix it: a misspelt name explains a missing required one. */
function mostHelpfulProblem(
  problems: readonly InputProblem[],
): Omit<InputProblem, 'hint' | 'known' | 'saysWhatToDo'> & { hint?: string } {
  let searchedHints = 0;
  for (const { hint: findHint, known: _known, saysWhatToDo, ...problem } of problems) {
    const hint = findHint && ++searchedHints <= MAX_HINT_SEARCHES ? findHint() : null;
    if (hint) return { ...problem, hint };
    if (problem.allowed || saysWhatToDo) return problem;
  }
  const { hint: _hint, known = () => [], saysWhatToDo: _says, ...first } = problems[0]!;
  const names = known();
  return names.length > 0 ? { ...first, hint: `Known here: ${names.join(', ')}.` } : first;
}

function issuesThatFit(problems: readonly InputProblem[]) {
  const issues: { field: string; message: string }[] = [];
  let length = 0;
  for (const { field, message } of problems) {
    length += JSON.stringify({ field, message }).length;
    if (length > MAX_ISSUES_CHARACTERS) break;
    issues.push({ field, message });
  }
  return issues;
}

function problemOf(issue: Exclude<Issue, { code: 'unrecognized_keys' }>, input: unknown): InputProblem {
  const field = fieldOf(issue);
  switch (issue.code) {
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      const isMissing = valueAt(input, issue.path) === undefined;
      return { field, message: `${isMissing ? 'is required:' : 'must be'} one of ${allowed.join(', ')}`, allowed };
    }
    case 'invalid_type': {
      const value = valueAt(input, issue.path) ?? null;
      if (value === null) return { field, message: 'is required' };
      return { field, message: `must be ${withArticle(issue.expected)}` };
    }
    case 'too_big':
    case 'too_small': {
      const bound = issue.code === 'too_big' ? `at most ${issue.maximum}` : `at least ${issue.minimum}`;
      return { field, message: issue.origin === 'array' ? `must have ${numberOfValues(bound)}` : `must be ${bound}` };
    }
    case 'custom': {
      const allowed = (issue.params as { allowed?: string[] } | undefined)?.allowed;
      return { field, message: issue.message, ...(allowed ? { allowed } : {}) };
    }
    default:
      return { field, message: issue.message };
  }
}

function displayName(key: string): string {
  const line = toSingleLine(key, MAX_PROPERTY_NAME_CHARACTERS);
  return line.trim() === '' ? `"${line}"` : line;
}

function withArticle(type: string): string {
  const words: Record<string, string> = { int: 'a whole number', array: 'an array', object: 'an object' };
  return words[type] ?? `a ${type}`;
}

const numberOfValues = (bound: string): string => `${bound} ${bound.endsWith(' 1') ? 'value' : 'values'}`;

const fieldOf = ({ path }: Issue): string => path.join('.');

const isBound = ({ code }: Issue): boolean => code === 'too_big' || code === 'too_small';

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}

/** Shortens a text from the caller, such as an unknown property's name, and replaces control characters by spaces. */
export function toSingleLine(text: string, maxCharacters: number): string {
  const plain = text.slice(0, maxCharacters + 1).replace(/\p{C}/gu, ' ');
  return plain.length <= maxCharacters ? plain : `${plain.slice(0, maxCharacters - 1)}…`;
}
