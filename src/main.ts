import { parseArgs } from 'node:util';
import { serve } from './app/serve.ts';

const HELP = `veritrail: a compliance register with its whole history, served over MCP.

  npm start              start the service
  npm start -- --demo    the same; empty stores are filled with an example organization first

Settings are environment variables, or lines of a .env file; see docs/guide.md. Tokens: npx veritrail token --help
`;

async function main(): Promise<void> {
  const values = readOptions();
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  await serve({ demo: values.demo });
}

/** The options of the start. @throws Error that names the next step where one is not known */
function readOptions() {
  try {
    return parseArgs({ options: { demo: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } } })
      .values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message.replace(/\.$/, '')}. "npm start -- --help" lists what there is.`, { cause: error });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`veritrail could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
