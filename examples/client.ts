/**
 * Adds a vendor, lists vendors and reads what changed, over plain HTTP:
 *
 *   VERITRAIL_URL=http://127.0.0.1:8080 VERITRAIL_TOKEN=vtr_… npx tsx examples/client.ts
 */
import { randomUUID } from 'node:crypto';

interface ToolError {
  code: string;
  message: string;
  /** The values that the field takes. */
  allowed?: string[];
}

/** The service refused a call. `error.code` is stable, `error.message` names the problem and the next step. */
class CallRefused extends Error {
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.error = error;
  }
}

const { VERITRAIL_URL = 'http://127.0.0.1:8080', VERITRAIL_TOKEN } = process.env;

/** Calls a tool. docs/tools.md has every tool with its input and its answer. @throws CallRefused */
async function call<Answer>(tool: string, input: object = {}): Promise<Answer> {
  const response = await fetch(`${VERITRAIL_URL}/api/mcp/tools/${tool}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${VERITRAIL_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  });
  const answer = (await response.json()) as Answer & { error?: ToolError };
  if (answer.error) throw new CallRefused(answer.error);
  return answer;
}

interface Vendor {
  id: string;
  name: string;
  status: string;
}

const { organizations } = await call<{ organizations: { id: string; name: string }[] }>('listOrganizations');
const organization_id = organizations[0]!.id;
console.log(`organization: ${organizations[0]!.name}`);

// A repeated call with the same key adds no second vendor, so it is safe to retry after a timeout.
const draft = { organization_id, name: 'Fjord Hosting', idempotency_key: randomUUID() };
const { vendor } = await call<{ vendor: Vendor }>('addVendor', { ...draft, criticality: 'SEVERE' }).catch((error) => {
  if (!(error instanceof CallRefused) || error.error.code !== 'invalid_input') throw error;
  console.log(`refused: ${error.message}`);
  return call<{ vendor: Vendor }>('addVendor', { ...draft, criticality: error.error.allowed!.at(-1) });
});
console.log(`added: ${vendor.name}`);

const { vendors } = await call<{ vendors: Vendor[] }>('listVendors', { organization_id });
for (const { name, status } of vendors) console.log(`vendor: ${name}, ${status}`);

const { changes } = await call<{ changes: { event_type: string; revision: number }[] }>('listChanges', {
  organization_id,
  filter: { record_id: [vendor.id] },
});
for (const { event_type, revision } of changes) console.log(`change: ${event_type}, revision ${revision}`);
