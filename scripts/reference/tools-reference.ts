import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { type CallTool, type ExampleRun, runExamples } from '../../test/support/mcp/examples.ts';
import { embeddedPair, serve } from '../../test/support/stores/pairs.ts';
import { toolsReference } from './tools-page.ts';

const TEMPLATE = fileURLToPath(new URL('./tools.md', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/tools.md', import.meta.url));

/** The public address of the service in the examples. */
const EXAMPLE_URL = 'https://grc.example.com';

/** Makes docs/tools.md from today's definitions. Runs its examples on a new service, in the direct form. */
export async function makeToolsReference(): Promise<{ page: string; path: string; runs: ExampleRun[] }> {
  const { runs: exampleRuns, today } = await runOnOneDay();
  return {
    page: toolsReference(readFileSync(TEMPLATE, 'utf8'), ALL_TOOLS, exampleRuns, today),
    path: PAGE,
    runs: exampleRuns,
  };
}

/** Runs the examples again if midnight passed meanwhile, because their dates are shown relative to the day of the run. */
async function runOnOneDay(): Promise<{ runs: ExampleRun[]; today: string }> {
  for (;;) {
    const today = new Date().toISOString().slice(0, 10);
    const pair = embeddedPair();
    const { url, token, close } = await serve({ ...pair, env: { ...pair.env, BASE_URL: EXAMPLE_URL } });
    try {
      const exampleRuns = await runExamples(ALL_TOOLS, directCaller(url, token));
      if (new Date().toISOString().startsWith(today)) return { runs: exampleRuns, today };
    } finally {
      await close();
    }
  }
}

/** Returns a function that calls tools in the direct form. */
function directCaller(url: string, token: string): CallTool {
  return async (tool, input) => {
    const response = await fetch(`${url}/api/mcp/tools/${tool}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'User-Agent': 'example/1.0' },
      body: JSON.stringify(input),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${tool} ${JSON.stringify(input)}: ${JSON.stringify(answer)}`);
    return answer;
  };
}
