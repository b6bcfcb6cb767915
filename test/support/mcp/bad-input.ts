/*
 * Generates bad inputs from a tool's published schema. Each breaks one rule in one place of an otherwise valid input.
 * Some rules of a text, such as of a moment or a cursor, aren't in the schema, and are derived from the field's name.
 */
import type { JsonSchema } from '../../../src/tools/schema/json-schema.ts';
import { idOf, KINDS, kindsIn } from '../ids.ts';

type Path = readonly (string | number)[];
type Input = Record<string, unknown>;

export interface BadInput {
  /** The problem with it. */
  about: string;
  input: Input;
  /** The path that the refusal names. */
  field: string;
  allowed?: readonly string[];
  hint?: string;
}

/** A place in an input, with its schema. `schema` excludes null; `clearable` is true if null is allowed. */
export interface Place {
  path: Path;
  schema: JsonSchema;
  clearable: boolean;
  /** True if null and empty values count as omitted. */
  omissible: boolean;
}

/** Inputs of an update that are not fields of its record. */
const BESIDE_FIELDS = [
  'organization_id',
  'reason',
  'idempotency_key',
  'expected_revision',
  'fields',
  'reviewed',
  'withdraw',
];
/** Enums whose values clients don't see. An empty text for them counts as omitted. */
const UNLISTED_ENUMS = ['view', 'direction'];

/** Yields invalid inputs, each with one fault, from a schema (see fullSchema) and a valid input. */
export function* badInputs(schema: JsonSchema, right: Input, ofUpdate = false): Generator<BadInput> {
  for (const fieldPath of placesOf(schema, ofUpdate)) {
    const { path } = fieldPath;
    for (const { about, value, allowed } of wrongValues(fieldPath, valueAt(right, path))) {
      const input = withValue(right, path, value) as Input;
      yield { about: `${fieldOf(path)} ${about}`, input, field: fieldOf(path), ...(allowed ? { allowed } : {}) };
    }
    if (fieldPath.schema.properties) yield* wrongMembers(fieldPath, right);
  }
}

/** Yields every place of an input, beginning with the input itself. The first item of an array stands for all. */
export function* placesOf(schema: JsonSchema, ofUpdate = false, path: Path = [], omissible = false): Generator<Place> {
  const options = (schema.anyOf as JsonSchema[] | undefined) ?? [schema];
  const plain = options.find(({ type }) => type !== 'null')!;
  const types = [plain.type].flat();
  const type = types.find((name) => name !== 'null');
  const clearable = options.length > 1 || types.length > 1;
  yield { path, schema: { ...plain, type }, clearable, omissible };
  const required = (plain.required ?? []) as string[];
  // An open object is skipped: the tools of its type read a row of an import.
  const properties = plain.additionalProperties === false ? plain.properties : {};
  for (const [name, inner] of Object.entries(properties as Record<string, JsonSchema>)) {
    const isField = ofUpdate && path.length === 0 && !BESIDE_FIELDS.includes(name);
    yield* placesOf(inner, ofUpdate, [...path, name], !required.includes(name) && !isField);
  }
  if (plain.items) yield* placesOf(plain.items as JsonSchema, ofUpdate, [...path, 0]);
}

export const fieldOf = (path: Path) => path.join('.');

/** Properties that every object has without being given them. */
const INHERITED = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

function* wrongMembers({ path, schema, omissible }: Place, right: Input): Generator<BadInput> {
  const childPath = (name: string) => fieldOf([...path, name]);
  const object = (valueAt(right, path) ?? {}) as Input;
  for (const name of (schema.required ?? []) as string[]) {
    const { [name]: _left, ...rest } = object;
    // An empty object counts as omitted.
    if (omissible && Object.keys(rest).length === 0) continue;
    yield { about: `${childPath(name)} missing`, input: withValue(right, path, rest) as Input, field: childPath(name) };
  }
  if (schema.additionalProperties !== false) return;
  for (const name of Object.keys(schema.properties as object)) {
    const misspelled = `${name}${name.at(-1)}`;
    const input = withValue(right, [...path, misspelled], 'x') as Input;
    yield {
      about: `${childPath(misspelled)} unknown`,
      input,
      field: childPath(misspelled),
      hint: `Did you mean ${name}?`,
    };
  }
  const hasRequired = ((schema.required ?? []) as string[]).every((name) => name in object);
  for (const name of hasRequired ? INHERITED : []) {
    const input = withValue(right, [...path, name], { id: 'x' }) as Input;
    yield { about: `${childPath(name)} unknown`, input, field: childPath(name) };
  }
}

interface Wrong {
  about: string;
  value: unknown;
  allowed?: readonly string[];
}

const OF_TYPE: Record<string, unknown> = { string: 'text', integer: 5, boolean: true, array: [], object: {} };

function* wrongValues(fieldPath: Place, right: unknown): Generator<Wrong> {
  const { schema, path, omissible } = fieldPath;
  const clearable = fieldPath.clearable || omissible;
  const type = String(schema.type);
  const allowed = allowedAt(schema);
  for (const [otherType, value] of Object.entries({ ...OF_TYPE, null: null })) {
    if (otherType === type || (otherType === 'null' && (clearable || path.length === 0))) continue;
    // Anything else is a list of one, and its item stands at a place of its own.
    if (type === 'array' && otherType !== 'null') continue;
    // The error for an enum always lists the allowed values.
    yield { about: `is ${JSON.stringify(value)}`, value, ...(schema.enum && allowed ? { allowed } : {}) };
  }
  if (type === 'array') yield* wrongSizes(schema, right, omissible);
  if (type === 'integer') yield* wrongNumbers(schema);
  if (type !== 'string') return;
  for (const value of wrongTexts(fieldPath)) {
    const isNamed = schema.enum && !UNLISTED_ENUMS.includes(String(path.at(-1)));
    if (omissible && !isNamed && value.trim() === '') continue;
    yield { about: `is ${describeValue(value)}`, value, ...(allowed ? { allowed } : {}) };
  }
}

const describeValue = (value: string) =>
  value.length > 60 ? `${value.length} characters long` : JSON.stringify(value);

/** Returns the `allowed` values of a refusal: an enum's values, or an id's kinds. */
function allowedAt({ enum: values, pattern, title }: JsonSchema): string[] | undefined {
  if (values) return values as string[];
  if (title !== 'id' && title !== 'account' && title !== 'actor') return undefined;
  const words = String(pattern).match(/\b[A-Z]{2,}(?=\|)/g) ?? [];
  return [...words, ...kindsIn(pattern).map((kind) => `${kind}_…`)];
}

function* wrongSizes({ items, minItems, maxItems }: JsonSchema, right: unknown, omissible: boolean): Generator<Wrong> {
  const item = Array.isArray(right) ? right[0] : anItem(items as JsonSchema);
  if (minItems && !omissible) yield { about: 'holds nothing', value: [] };
  if (!maxItems) throw new TypeError('an array without a limit');
  yield { about: 'holds one too many', value: Array(Number(maxItems) + 1).fill(item) };
}

function anItem({ enum: values, title, pattern }: JsonSchema): unknown {
  if (values) return (values as unknown[])[0];
  return title === 'id' ? idOf(kindsIn(pattern)[0]!) : title ? 'ME' : 'x';
}

function* wrongNumbers({ minimum, maximum }: JsonSchema): Generator<Wrong> {
  const values = [1.5, 1e308, -1e308, 2 ** 53, -(2 ** 53), Number(minimum) - 1];
  if (maximum !== undefined) values.push(Number(maximum) + 1);
  for (const value of values) yield { about: `is ${value}`, value };
}

const NO_DATES = ['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-10', '2026-01-32', '2026-1-1', '31.01.2026'];
const NO_TIMES = ['2026-02-30T10:00:00Z', '2026-01-31T25:00:00Z', '2026-01-31T24:00:00Z', '2026-01-31T23:60:00Z'];
const NO_MOMENTS = [...NO_DATES, ...NO_TIMES, '2026-01-31T10:00:00', '2026-01-31T10:00:00+1:00', 'yesterday', '1e3'];
const UNREAL = [
  '\u0000',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u2066',
  '\u206f',
  '\ufffb',
  '\u{e0041}',
  '\ud800',
  '\udc00',
  '\r',
];
const LATER = ['2999-01-01', '2999-01-01T00:00:00Z', '999999999'];

/** Texts that the definition alone does not tell from others. */
const BY_NAME: Record<string, readonly string[]> = {
  cursor: ['nonsense', 'e30.x', '\ud800', ''],
  verify_cursor: ['nonsense', 'e30.x', '\ud800', ''],
  // One that no dry run answered is a conflict.
  selection: [''],
  call_id: ['nonsense', idOf('rsk'), '0192f4c1-0000-7000-8000'],
  as_of: [...NO_MOMENTS, ...LATER, '-1', '1.5', '9'.repeat(20), idOf('rsk'), ''],
  from: [...NO_MOMENTS, '-1', idOf('rsk'), ''],
  to: [...NO_MOMENTS, '-1', idOf('rsk'), ''],
  trend: ['YEAR', 'month', ''],
  trend_figures: ['no_such_figure', ''],
  only: ['FIGURES', 'trend', ''],
  field: ['no_such_field', 'members.acc_1', ''],
  group_by: ['COUNTRY', 'owner', ''],
};

/** Texts that can't be names. Names that no member has are in owner-names.test.ts. */
const NO_NAMES = ['SYSTEM', 'a\u202eb', 'a\nb'];

function wrongTexts({ path, schema, clearable }: Place): string[] {
  const { enum: values, title, format, maxLength, minLength } = schema;
  const blankTexts = clearable ? [] : ['', '  '];
  if (values) {
    const [first] = values as string[];
    // A number has no other case.
    const recased = [otherCase(first!)].filter((value) => value !== first);
    return ['NO_SUCH', ...recased, ...blankTexts];
  }
  if (format === 'date') return [...NO_MOMENTS, '2026-01-31T10:00:00Z', ...blankTexts];
  if (title === 'time') return [...NO_MOMENTS, ...blankTexts];
  if (title === 'SHA-256') return ['abc', 'g'.repeat(64), 'a'.repeat(65), ...blankTexts];
  if (title === 'member') {
    // Spaces around a name don't matter.
    const noIds = wrongIds('acc_[').filter((id) => id === id.trim());
    return [...NO_NAMES, ...noIds, 'x'.repeat(Number(maxLength) + 1), ...blankTexts];
  }
  // Any other text can be a name.
  if (title === 'id or name')
    return [...KINDS.filter((kind) => !kindsIn(String(schema.pattern)).includes(kind)).map(idOf), ...blankTexts];
  if (title) return ['nobody', ...wrongIds(String(schema.pattern)), ...blankTexts];
  if (maxLength === undefined) return [...BY_NAME[String(path.at(-1))]!];
  const before = format === 'uri' ? 'https://example.org/' : '';
  const forbidden = Number(maxLength) <= 200 || before ? [...UNREAL, '\n', '\t'] : UNREAL;
  const invalid = forbidden.map((character) => `${before}a${character}b`);
  invalid.push(before + 'x'.repeat(Number(maxLength) + 1 - before.length));
  if (before) invalid.push('example.org', 'ftp://example.org', 'javascript:alert(1)', 'https://');
  return minLength && !clearable ? [...invalid, ...blankTexts] : invalid;
}

const otherCase = (word: string) => (word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase());

/** Ids of every other kind, and some that only look like one that is right. */
function wrongIds(pattern: string): string[] {
  const allowedKinds = kindsIn(pattern);
  const otherKinds = KINDS.filter((kind) => !allowedKinds.includes(kind)).map(idOf);
  const [validId] = allowedKinds.map(idOf) as [string];
  return [
    ...otherKinds,
    validId.toLowerCase(),
    validId.slice(0, -1),
    `${validId}0`,
    `${validId.slice(0, -1)}U`,
    ` ${validId}`,
  ];
}

/** Returns an input with a member set. Creates the containers on the path that are missing. */
export function withValue(container: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const items = Array.isArray(container) ? [...container] : [];
    items[key] = withValue(items[key], rest, value);
    return items;
  }
  const object = (container ?? {}) as Input;
  // Unlike an assignment, this creates an own member for __proto__ too, as JSON.parse does.
  const current = Object.hasOwn(object, key) ? object[key] : undefined;
  return Object.fromEntries([...Object.entries(object), [key, withValue(current, rest, value)]]);
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Input | undefined)?.[key], input);
}
