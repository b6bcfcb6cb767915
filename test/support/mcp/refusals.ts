import * as assert from 'uvu/assert';
import { errorOutput } from '../../../src/tools/schema/output.ts';
import { OTHER_PREFIX, type TwoOrganizations } from '../identity/two-organizations.ts';

/** The error of an answer. */
export interface RefusalError {
  code: string;
  message: string;
  field?: string;
  allowed?: string[];
  hint?: string;
  issues?: { field: string; message: string }[];
  retryable: boolean;
}

const MAX_MESSAGE_CHARACTERS = 300;
const MAX_MESSAGE_SENTENCES = 2;
const MAX_SENTENCE_WORDS = 30;
const MAX_ANSWER_CHARACTERS = 60_000;
/** Internals that no answer may show: stacks, file paths, addresses of stores. */
const INTERNALS =
  /\n\s+at |node_modules|\.[jt]s:\d|file:\/\/|\/(home|tmp|var|usr|work)\/|sqlite|mongodb|esdb|ECONN|Zod/i;

type Register = Pick<TwoOrganizations, 'register'>;

/**
 * Calls a tool that must refuse the input, and returns its error. Checks that nothing was written, that the message is
 * short, and that the answer shows no internals.
 */
export async function refusalOf(
  { register }: Register,
  tool: string,
  input: unknown,
  about = '',
): Promise<RefusalError> {
  const { events } = register.stores;
  const before = (await events.head(null)).newest;
  const answer = await register.call<{ error?: RefusalError }>(tool, input as object);
  const label = `${tool} ${about}: ${JSON.stringify(answer).slice(0, 2_000)}`;
  assert.is((await events.head(null)).newest, before, `${label} wrote something`);
  assert.ok(answer.error, `should be refused: ${label}`);
  checkAnswer(answer, input, label);
  checkMessage(answer.error, label);
  assert.ok(errorOutput.safeParse(answer).success, label);
  assert.is(answer.error.retryable, false, label);
  return answer.error;
}

/** Checks that an answer fits the limit, and shows neither internals nor data of the other organization. */
export function checkAnswer(answer: object, input: unknown, label: string): void {
  const text = JSON.stringify(answer);
  assert.ok(text.length <= MAX_ANSWER_CHARACTERS, `${text.length} characters: ${label}`);
  assert.not.match(text, OTHER_PREFIX, label);
  if (!INTERNALS.test(JSON.stringify(input) ?? '')) assert.not.match(text, INTERNALS, label);
}

/** Checks that a message has at most two short sentences: the problem and the next step. */
function checkMessage({ message, issues = [] }: RefusalError, label: string): void {
  assert.match(message, /^[^\n]+[^.]\.$/, label);
  const sentences = message.split(/[.!?]\s+(?=[A-Z])/);
  assert.ok(sentences.length <= MAX_MESSAGE_SENTENCES, `${sentences.length} sentences: ${label}`);
  for (const sentence of sentences)
    assert.ok(sentence.split(/\s+/).length <= MAX_SENTENCE_WORDS, `a long sentence: ${label}`);
  assert.not.match(message, /undefined|null|NaN|\[object/, label);
  assert.not.match(message.replaceAll(/\s/g, ' '), /\p{C}/u, label);
  assert.ok(message.length <= MAX_MESSAGE_CHARACTERS, `${message.length} characters: ${label}`);
  for (const issue of issues) assert.ok(issue.message.length > 5, label);
}

/** Checks a refusal's code and field. */
export function assertNames(refused: RefusalError, code: string, field: string | undefined, label: string): void {
  assert.equal([refused.code, refused.field], [code, field], `${label}: ${JSON.stringify(refused).slice(0, 600)}`);
}
