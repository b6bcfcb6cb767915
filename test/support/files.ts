/** Files of records and changes as a client gets them. */
import type { ToolError } from './mcp-client.ts';

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  /** Of JSON Lines. */
  lines: object[];
  position: string;
  error: ToolError | undefined;
}

/** Asks for a file whole. @param query parameters; a list's values each as one of its own */
export async function ask(
  url: string,
  token: string,
  organizationId: string,
  path: string,
  query: object = {},
): Promise<Answered> {
  const parameters = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const address = `${url}/api/v1/organizations/${organizationId}/${path}?${new URLSearchParams(parameters)}`;
  const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  const { status, headers } = response;
  const text = await response.text();
  const isLines = headers.get('content-type') === 'application/x-ndjson';
  const position = headers.get('veritrail-position') ?? '';
  const lines = isLines ? linesOf(text).map((line) => JSON.parse(line) as object) : [];
  return { status, headers, text, lines, position, error: status === 200 ? undefined : JSON.parse(text).error };
}

/** Lines of a text that ends with one. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Rows of a CSV as they are written: a line break within quotes ends none. */
export function csvRows(text: string): string[] {
  const rows: string[] = [];
  let row = '';
  for (const line of text.replace(/\r\n$/, '').split('\r\n')) {
    row += row === '' ? line : `\r\n${line}`;
    if ((row.split('"').length - 1) % 2 === 1) continue;
    rows.push(row);
    row = '';
  }
  return rows;
}
