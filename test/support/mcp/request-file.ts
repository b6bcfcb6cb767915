/** Requests files of records and changes as a client does. */
import type { ToolError } from './mcp-client.ts';

export interface FileResponse {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed lines of a JSON Lines file. */
  lines: object[];
  position: string;
  error: ToolError | undefined;
}

/** Requests a whole file. @param query parameters; each value of a list becomes a parameter */
export async function requestFile(
  url: string,
  token: string,
  organizationId: string,
  path: string,
  query: object = {},
): Promise<FileResponse> {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, String(item)]),
  );
  const address = `${url}/api/v1/organizations/${organizationId}/${path}?${new URLSearchParams(parameters)}`;
  const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  const { status, headers } = response;
  const text = await response.text();
  const isLines = headers.get('content-type') === 'application/x-ndjson';
  const position = headers.get('veritrail-position') ?? '';
  const lines = isLines ? linesOf(text).map((line) => JSON.parse(line) as object) : [];
  return { status, headers, text, lines, position, error: status === 200 ? undefined : JSON.parse(text).error };
}

/** Returns the lines of a text that ends with a line feed. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** Returns the rows of a CSV. A line break within quotes doesn't end a row. */
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
