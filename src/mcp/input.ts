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
  hint?: string;
}

/** Names of unknown properties are the caller's own, and of any length. */
const LONGEST_NAME = 100;
/** So many characters of problems fit into an answer; who makes more of them is told the first. */
const MOST_TOLD = 40_000;
/** Names of an object that are compared with the known ones: an input of nothing but wrong ones is to cost no more. */
const MOST_HINTS = 20;

/** Reads an input by its schema. @throws Refusal invalid_input that lists every problem, as far as an answer holds them */
export function readInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = tryInput(schema, input);
  if ('data' in result) return result.data;
  const { problems } = result;
  const told = mostTelling(problems);
  const issues = fitting(problems.map(({ field, message }) => ({ field, message })));
  const which = issues.length < problems.length ? `the first ${issues.length} in issues` : 'see issues';
  const more = problems.length > 1 ? ` (${problems.length} problems, ${which})` : '';
  throw new Refusal('invalid_input', `${told.field || 'The input'} ${told.message}${more}.`, {
    ...(told.field ? { field: told.field } : {}),
    ...(told.allowed ? { allowed: told.allowed } : {}),
    ...(told.hint ? { hint: told.hint } : {}),
    issues,
  });
}

/** Reads an input by its schema, or answers all that is wrong with it. */
export function tryInput<T>(schema: z.ZodType<T>, input: unknown): { data: T } | { problems: Problem[] } {
  const result = schema.safeParse(withoutUnused(schema, input ?? {}));
  if (result.success) return { data: result.data };
  return { problems: result.error.issues.flatMap((issue) => problemsOf(issue, input, schema)) };
}

/** The first problem that says how to mend it: a misspelt name explains the required one that is missing. */
function mostTelling(problems: readonly Problem[]): Problem {
  return (problems.find(({ hint, allowed }) => hint || allowed) ?? problems[0])!;
}

function fitting(issues: readonly { field: string; message: string }[]) {
  let told = 0;
  const end = issues.findIndex((issue) => {
    told += JSON.stringify(issue).length;
    return told > MOST_TOLD;
  });
  return end < 0 ? issues : issues.slice(0, end);
}

function problemsOf(issue: Issue, input: unknown, schema: z.ZodType): Problem[] {
  const field = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = Object.keys(propertiesAt(acceptedBy(schema), issue.path));
      return issue.keys.map((key, index) => {
        const hint = index < MOST_HINTS ? hintFor(key, known) : {};
        return { field: [...issue.path, shownName(key)].join('.'), message: 'is not a known property', ...hint };
      });
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

function hintFor(wrong: string, known: readonly string[]): { hint?: string } {
  const near = nearest(wrong, known);
  return near === null ? {} : { hint: `Did you mean ${near}?` };
}
