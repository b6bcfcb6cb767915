/** The answer to a call in the direct form. */
export interface Reply {
  status: number;
  /** `code` of the error; null if the call succeeded. */
  code: string | null;
  body: Record<string, unknown>;
  retryAfter: string | null;
}

/**
 * Calls a tool in the direct form, over a new connection: a pooled one may belong to a service that has stopped.
 * @throws when the connection breaks or the answer is not complete within `ms`
 */
export async function callTool(
  url: string,
  token: string,
  tool: string,
  args: object = {},
  { ms = 20_000, method = 'POST' } = {},
): Promise<Reply> {
  const response = await fetch(`${url}/api/mcp/tools/${tool}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' },
    ...(method === 'POST' ? { body: JSON.stringify(args) } : {}),
    signal: AbortSignal.timeout(ms),
  });
  const body = (await response.json()) as Record<string, unknown>;
  const code = (body.error as { code?: string } | undefined)?.code ?? null;
  return { status: response.status, code, body, retryAfter: response.headers.get('retry-after') };
}

/** Calls a tool again while it gets `unavailable`, `conflict` or no answer, as a careful client would. */
export async function callUntilAccepted(
  url: string,
  token: string,
  tool: string,
  args: object,
  ms = 20_000,
): Promise<Reply> {
  const end = performance.now() + ms;
  for (;;) {
    const reply = await callTool(url, token, tool, args).catch((error: unknown) => error as Error);
    if (!(reply instanceof Error) && reply.status === 200) return reply;
    const isPermanent = !(reply instanceof Error) && !['unavailable', 'conflict'].includes(reply.code ?? '');
    if (isPermanent || performance.now() > end) {
      const last = reply instanceof Error ? reply : JSON.stringify(reply.body);
      throw new Error(`${tool} did not succeed: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the id of the token's first organization. */
export async function firstOrganization(url: string, token: string): Promise<string> {
  const { body } = await callTool(url, token, 'listOrganizations');
  return (body.organizations as { id: string }[])[0]!.id;
}

/** Returns status and JSON body of a plain GET. */
export async function getJson(url: string, token?: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
