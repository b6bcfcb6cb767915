/** The clients of examples/, each run against a started service. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Service, startService } from '../support/service.ts';

const STORY = `organization: My organization
refused: criticality must be one of LOW, MEDIUM, HIGH, CRITICAL.
added: Fjord Hosting
vendor: Fjord Hosting, PENDING_REVIEW
change: VendorAdded, revision 1
`;

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const test = suite<{ service: Service }>('examples');

test.before.each(async (context) => {
  context.service = await startService();
});
test.after.each(({ service }) => service.stop());

for (const [name, command, ...args] of [
  ['client.ts', process.execPath, '--import', 'tsx'],
  ['client.py', 'python3'],
  ['client.sh', 'sh'],
]) {
  test(`${name} adds a vendor after a refusal, lists it and reads its changes`, async ({ service }) => {
    const env = { ...process.env, VERITRAIL_URL: service.url, VERITRAIL_TOKEN: service.token };
    const { stdout } = await promisify(execFile)(command!, [...args, example(name!)], { env });
    assert.is(stdout, STORY);
  });
}

test.run();
