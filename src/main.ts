import { parseArgs } from 'node:util';
import { startApp } from './app.ts';
import { readConfig } from './config.ts';
import { createLogger } from './log.ts';

const HELP = `veritrail: a compliance register with its whole history, served over MCP.

  npm start              start the service
  npm start -- --demo    the same; empty stores are filled with a made-up organization first

Settings are environment variables, or lines of a .env file; see README.md. Tokens: npx veritrail token --help
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { demo: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const config = readConfig(process.env, process.cwd());
  const logger = createLogger(config.logLevel);
  const prepare = values.demo ? (await import('./demo/fill.ts')).fillDemo : undefined;
  const { baseUrl, firstToken, stop } = await startApp(config, logger, prepare);
  process.stdout.write(`veritrail is listening on ${baseUrl}\n`);
  if (firstToken !== null) process.stdout.write(welcome(baseUrl, firstToken));
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal does not wait for requests in flight.
      if (stopping) process.exit(1);
      stopping = true;
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'the service did not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
}

/** What a newcomer needs, said once: the token is kept nowhere in this form. */
function welcome(baseUrl: string, token: string): string {
  const url = `${baseUrl}/api/mcp/v1`;
  const block = { mcpServers: { veritrail: { url, headers: { Authorization: `Bearer ${token}` } } } };
  return `
This is the first start. Endpoint and token (shown only this once, good for 90 days):

  ${url}
  ${token}

Paste this into your MCP client's configuration:

${JSON.stringify(block, null, 2)}

`;
}

main().catch((error: unknown) => {
  process.stderr.write(`veritrail could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
