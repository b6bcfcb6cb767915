import { MCP_HEADERS } from './http-requests.ts';

const IMPORT_ROWS = 200;

export const callOf = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Imports vendors. Returns their organization, one's id, and the newest position. */
export async function importVendors(url: string, token: string, vendors: number) {
  const call = async (tool: string, args: object) => {
    const headers = { ...MCP_HEADERS, Authorization: `Bearer ${token}` };
    const body = JSON.stringify(args);
    const response = await fetch(`${url}/api/mcp/tools/${tool}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${tool}: ${await response.text()}`);
    return response.json();
  };
  const { organizations } = (await call('listOrganizations', {})) as { organizations: { id: string }[] };
  const organization_id = organizations[0]!.id;
  for (let imported = 0; imported < vendors; imported += IMPORT_ROWS) {
    const rows = Array.from({ length: Math.min(IMPORT_ROWS, vendors - imported) }, (_, row) => ({
      name: `Supplier ${imported + row}`,
      description: `Provides thing ${row} to the company`,
      country: 'DE',
      criticality: 'HIGH',
    }));
    await call('importRecords', { organization_id, type: 'VENDOR', rows });
  }
  const [vendor] = ((await call('listVendors', { size: 1 })) as { vendors: { id: string }[] }).vendors;
  const [change] = ((await call('listChanges', { size: 1 })) as { changes: { position: string }[] }).changes;
  return { organizationId: organization_id, id: vendor!.id, position: change!.position };
}
