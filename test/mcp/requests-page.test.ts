/** Makes the calls of docs/requests.md in the demo's organization, in the page's order, as an assistant makes them. */
import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../src/commands/engine/dates.ts';
import { mapTexts } from '../../src/tools/schema/example.ts';
import { answerOf, sdkClient } from '../support/mcp/mcp-client.ts';
import { startService } from '../support/service.ts';

const PAGE = readFileSync(new URL('../../docs/requests.md', import.meta.url), 'utf8');

/** A part of the page under one heading. A part that no request has makes the records of the next request. */
interface Part {
  heading: string;
  calls: { tool: string; input: string }[];
  /** The words in code marks of the last paragraph, which the last answer must contain. */
  answer: string[];
}

type Json = Record<string, unknown>;

const parts: Part[] = PAGE.split(/^##+ /m)
  .slice(1)
  .map((text) => ({
    heading: text.slice(0, text.indexOf('\n')),
    calls: [...text.matchAll(/^`(\w+)`\n\n```json\n(.*?)^```$/gms)].map(([, tool, input]) => ({
      tool: tool!,
      input: input!,
    })),
    answer: [...(text.split('\nAnswer: ')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  }));
const requests = parts.filter(({ heading }) => /^\d+\. /.test(heading));

/** Replaces the placeholders of an input. A selection must stand in the last answer of the same request. */
function fill(input: string, answers: readonly Json[], today: string): Json {
  return mapTexts(JSON.parse(input), (text) => {
    const [, word, rest] = /^\{(today|selection)(.*)\}$/.exec(text) ?? [];
    if (word === undefined) return text;
    if (word === 'today') return addDays(today, Number(rest));
    const found = answers.at(-1)?.selection;
    assert.type(found, 'string', `no earlier answer has ${text}`);
    return found as string;
  }) as Json;
}

/** Makes the calls of a part, and returns their answers. */
async function makeCalls(client: Client, { heading, calls }: Part): Promise<Json[]> {
  const today = new Date().toISOString().slice(0, 10);
  const answers: Json[] = [];
  for (const { tool, input } of calls) {
    const result = await client.callTool({ name: tool, arguments: fill(input, answers, today) });
    const answer = answerOf(result);
    assert.not(answer.isError, `${heading}, ${tool}: ${JSON.stringify(answer.result)}`);
    answers.push(answer.result as Json);
  }
  return answers;
}

const page = suite('requests of a week');

page('the table counts the requests by their calls', () => {
  assert.equal(
    requests.map(({ heading }) => Number.parseInt(heading, 10)),
    Array.from({ length: 25 }, (_, n) => n + 1),
  );
  const count = (matches: (calls: number) => boolean) => requests.filter(({ calls }) => matches(calls.length)).length;
  const rows = [...PAGE.matchAll(/^\| (one|two|more|impossible) \| (\d+)/gm)].map(([, , number]) => Number(number));
  assert.equal(rows, [
    count((calls) => calls === 1),
    count((calls) => calls === 2),
    count((calls) => calls > 2),
    count((calls) => calls === 0),
  ]);
});

page('the page says for every request what it finds', () => {
  for (const { heading, answer } of requests) assert.ok(answer.length > 0, heading);
});

page('every call of the page succeeds in the demo, and finds what the page says', async () => {
  const service = await startService({}, ['--demo']);
  const client = await sdkClient(service.url, service.token);
  try {
    const missing: string[] = [];
    for (const part of parts.filter(({ calls }) => calls.length > 0)) {
      const answers = await makeCalls(client, part);
      assert.is(answers.at(-1)!.next_cursor, undefined, `${part.heading}: another page follows`);
      const text = JSON.stringify(answers.at(-1));
      const words = part.answer.filter((word) => !text.includes(word));
      missing.push(...words.map((word) => `${part.heading}: ${word}`));
    }
    assert.equal(missing, []);
  } finally {
    await client.close();
    await service.stop();
  }
});

page.run();
