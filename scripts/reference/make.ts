import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Service } from '../../src/mcp/service.ts';
import { allTools } from '../../src/mcp/tools.ts';
import { type CallTool, type Ran, runExamples } from '../../test/support/examples.ts';
import { embeddedPair, serve } from '../../test/support/pairs.ts';
import { toolsReference } from './page.ts';

const TEMPLATE = fileURLToPath(new URL('./tools.md', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/tools.md', import.meta.url));

/** The reference as it has to be now, its examples run on a service of their own over the direct form. */
export async function makeToolsReference(): Promise<{ page: string; path: string; ran: Ran[] }> {
  // Names and schemas are known without a service: nothing is called by these.
  const tools = allTools({} as Service);
  const { ran, today } = await runOnOneDay(tools);
  return { page: toolsReference(readFileSync(TEMPLATE, 'utf8'), tools, ran, today), path: PAGE, ran };
}

/** Dates are shown by how far they are from the day of the run, so that has to be one. */
async function runOnOneDay(tools: ReturnType<typeof allTools>): Promise<{ ran: Ran[]; today: string }> {
  for (;;) {
    const today = new Date().toISOString().slice(0, 10);
    const { url, token, close } = await serve(embeddedPair());
    try {
      const ran = await runExamples(tools, directly(url, token));
      if (new Date().toISOString().startsWith(today)) return { ran, today };
    } finally {
      await close();
    }
  }
}

/** Calls by the direct form. */
function directly(url: string, token: string): CallTool {
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
