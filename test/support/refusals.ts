import * as assert from 'uvu/assert';
import { errorOutput } from '../../src/mcp/output.ts';
import { SECRET, type TwoOrganizations } from './two-organizations.ts';

/** What an answer says went wrong. */
export interface Refused {
  code: string;
  message: string;
  field?: string;
  allowed?: string[];
  hint?: string;
  issues?: { field: string; message: string }[];
  retryable: boolean;
}

const LONGEST_MESSAGE = 300;
const LONGEST_ANSWER = 60_000;
/** Stacks, paths of files, and addresses of stores. */
const INNER = /\n\s+at |node_modules|\.[jt]s:\d|file:\/\/|\/(home|tmp|var|usr|work)\/|sqlite|mongodb|esdb|ECONN|Zod/i;

type Register = Pick<TwoOrganizations, 'register'>;

/**
 * Calls a tool that is to refuse the input, and answers why it did. Whatever it is: nothing is written, one short
 * sentence says what to do, and nothing is told of our inside.
 */
export async function refusalOf({ register }: Register, tool: string, input: unknown, about = ''): Promise<Refused> {
  const { events } = register.stores;
  const before = await events.head();
  const answer = await register.call<{ error?: Refused }>(tool, input as object);
  const label = `${tool} ${about}: ${JSON.stringify(answer).slice(0, 2_000)}`;
  assert.is(await events.head(), before, `${label} wrote something`);
  assert.ok(answer.error, `should be refused: ${label}`);
  checkAnswer(answer, input, label);
  checkMessage(answer.error, label);
  assert.ok(errorOutput.safeParse(answer).success, label);
  assert.is(answer.error.retryable, false, label);
  return answer.error;
}

/** That an answer has no more than fits, and nothing of our inside or of the other organization. */
export function checkAnswer(answer: object, input: unknown, label: string): void {
  const text = JSON.stringify(answer);
  assert.ok(text.length <= LONGEST_ANSWER, `${text.length} characters: ${label}`);
  assert.not.match(text, SECRET, label);
  if (!INNER.test(JSON.stringify(input) ?? '')) assert.not.match(text, INNER, label);
}

/** That a refusal's message is one sentence, and not a long one. */
function checkMessage({ message, issues = [] }: Refused, label: string): void {
  assert.match(message, /^[^\n]+[^.]\.$/, label);
  assert.not.match(message, /[.!?]\s+[A-Z]/, `one sentence: ${label}`);
  assert.not.match(message, /undefined|null|NaN|\[object/, label);
  assert.not.match(message.replaceAll(/\s/g, ' '), /\p{C}/u, label);
  assert.ok(message.length <= LONGEST_MESSAGE, `${message.length} characters: ${label}`);
  for (const issue of issues) assert.ok(issue.message.length > 5, label);
}

/** Where a list of issues or a refusal's first one has to point. */
export function assertNames(refused: Refused, code: string, field: string | undefined, label: string): void {
  assert.equal([refused.code, refused.field], [code, field], `${label}: ${JSON.stringify(refused).slice(0, 600)}`);
}
