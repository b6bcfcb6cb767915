/** One call in the direct form, with all that its answer says on the wire. */
export interface Reply {
  status: number;
  /** `code` of the error, null where it succeeded. */
  code: string | null;
  body: Record<string, unknown>;
  retryAfter: string | null;
}

/**
 * Calls a tool in the direct form, over a connection of its own: a kept one may belong to a service that has stopped.
 * @throws when the connection breaks or nothing arrives for `ms`
 */
export async function call(
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

/** The same, repeated while it is answered `unavailable` or `conflict`, or not at all, as a careful client would. */
export async function insist(url: string, token: string, tool: string, args: object, ms = 20_000): Promise<Reply> {
  const end = performance.now() + ms;
  for (;;) {
    const reply = await call(url, token, tool, args).catch((error: unknown) => error as Error);
    if (!(reply instanceof Error) && reply.status === 200) return reply;
    const hopeless = !(reply instanceof Error) && !['unavailable', 'conflict'].includes(reply.code ?? '');
    if (hopeless || performance.now() > end) {
      const last = reply instanceof Error ? reply : JSON.stringify(reply.body);
      throw new Error(`${tool} did not succeed: ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The organization a token reaches. */
export async function firstOrganization(url: string, token: string): Promise<string> {
  const { body } = await call(url, token, 'listOrganizations');
  return (body.organizations as { id: string }[])[0]!.id;
}

/** Status of a plain GET, and its body where that is JSON. */
export async function look(url: string, token?: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
