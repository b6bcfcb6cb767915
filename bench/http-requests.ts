/** The headers of an MCP call, besides the credential. */
export const MCP_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-11-25',
};

/** Asks for the first page of vendors, 20 summaries. */
export const PAGE_REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'listVendors', arguments: {} },
};
