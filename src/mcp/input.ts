import type { z } from 'zod';
import { nearest } from '../commands/nearest.ts';
import { Refusal } from '../commands/refusal.ts';
import { cut } from './cut.ts';
import { fullSchema } from './json-schema.ts';
import { withoutUnused } from './left-out.ts';

type Issue = z.core.$ZodIssue;

/** One thing that is wrong with an input. The message is a clause that follows the field's name. */
export interface Problem {
  field: string;
  message: string;
  allowed?: readonly string[];
  /** Returns the hint, if there is one: it is worked out for problems that an answer shows. */
  hint?: () => string | null;
}

/** Names of unknown properties are the caller's own, and of any length. */
const LONGEST_NAME = 100;
/** So many problems, and so many of their characters, fit into an answer; who makes more of them is told the first. */
const MOST_PROBLEMS = 100;
const MOST_TOLD = 40_000;
/** Unknown names that are compared with the known ones: an input of nothing but wrong ones is to cost no more. */
const MOST_HINTS = 20;

/** Reads an input by its schema. @throws Refusal invalid_input that lists every problem, as far as an answer holds them */
export function readInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = tryInput(schema, input);
  if ('data' in result) return result.data;
  const { problems, total } = result;
  const { hint, ...told } = mostTelling(problems);
  const issues = fitting(problems);
  const which = issues.length < total ? `the first ${issues.length} in issues` : 'see issues';
  const more = total > 1 ? ` (${total} problems, ${which})` : '';
  throw new Refusal('invalid_input', `${told.field || 'The input'} ${told.message}${more}.`, {
    ...(told.field ? { field: told.field } : {}),
    ...(told.allowed ? { allowed: told.allowed } : {}),
    ...(hint ? { hint } : {}),
    issues,
  });
}

/** Some of what is wrong with an input, and how much that is in all: to describe all of it may cost much. */
export interface Problems {
  problems: Problem[];
  total: number;
}

/** Reads an input by its schema, or answers what is wrong with it: the first problems, at most `most`. */
export function tryInput<T>(schema: z.ZodType<T>, input: unknown, most = MOST_PROBLEMS): { data: T } | Problems {
  const result = schema.safeParse(withoutUnused(schema, input ?? {}));
  if (result.success) return { data: result.data };
  const problems: Problem[] = [];
  let total = 0;
  for (const issue of result.error.issues) {
    if (problems.length < most) problems.push(...problemsOf(issue, input, schema, most - problems.length));
    total += issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
  }
  return { problems, total };
}

/** The first problem that says how to mend it: a misspelt name explains the required one that is missing. */
function mostTelling(problems: readonly Problem[]): Omit<Problem, 'hint'> & { hint?: string } {
  let compared = 0;
  for (const { hint: findHint, ...problem } of problems) {
    const hint = findHint && ++compared <= MOST_HINTS ? findHint() : null;
    if (hint) return { ...problem, hint };
    if (problem.allowed) return problem;
  }
  const { hint: _none, ...first } = problems[0]!;
  return first;
}

function fitting(problems: readonly Problem[]) {
  const issues: { field: string; message: string }[] = [];
  let length = 0;
  for (const { field, message } of problems) {
    length += JSON.stringify({ field, message }).length;
    if (length > MOST_TOLD) break;
    issues.push({ field, message });
  }
  return issues;
}

function problemsOf(issue: Issue, input: unknown, schema: z.ZodType, most: number): Problem[] {
  const field = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = Object.keys(propertiesAt(acceptedBy(schema), issue.path));
      return issue.keys.slice(0, most).map((key) => ({
        field: [...issue.path, shownName(key)].join('.'),
        message: 'is not a known property',
        hint: () => hintFor(key, known),
      }));
    }
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      const absent = valueAt(input, issue.path) === undefined;
      return [{ field, message: `${absent ? 'is required:' : 'must be'} one of ${allowed.join(', ')}`, allowed }];
    }
    case 'invalid_type':
      if (valueAt(input, issue.path) === undefined) return [{ field, message: 'is required' }];
      return [{ field, message: `must be ${article(issue.expected)}` }];
    case 'too_big':
    case 'too_small': {
      const bound = issue.code === 'too_big' ? `at most ${issue.maximum}` : `at least ${issue.minimum}`;
      return [{ field, message: issue.origin === 'array' ? `must hold ${bound} values` : `must be ${bound}` }];
    }
    case 'custom': {
      const allowed = (issue.params as { allowed?: string[] } | undefined)?.allowed;
      return [{ field, message: issue.message, ...(allowed ? { allowed } : {}) }];
    }
    default:
      return [{ field, message: issue.message }];
  }
}

function shownName(key: string): string {
  const shown = cut(key, LONGEST_NAME);
  return shown.trim() === '' ? `"${shown}"` : shown;
}

function article(type: string): string {
  const words: Record<string, string> = { int: 'a whole number', array: 'an array', object: 'an object' };
  return words[type] ?? `a ${type}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}

/** What is taken is more than what is published; worked out once, when somebody first misspells a name. */
const accepted = new WeakMap<z.ZodType, object>();

function acceptedBy(schema: z.ZodType): object {
  const known = accepted.get(schema) ?? fullSchema(schema);
  accepted.set(schema, known);
  return known;
}

/** The properties that are taken at a place of the input. */
function propertiesAt(inputs: object, path: readonly PropertyKey[]): object {
  let schema = inputs as { properties?: Record<string, object>; items?: object };
  for (const key of path) schema = (typeof key === 'number' ? schema.items : schema.properties?.[String(key)]) ?? {};
  return schema.properties ?? {};
}

function hintFor(wrong: string, known: readonly string[]): string | null {
  const near = nearest(wrong, known);
  return near === null ? null : `Did you mean ${near}?`;
}
