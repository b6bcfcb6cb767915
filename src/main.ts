import { parseArgs } from 'node:util';
import { addressOf, endpointOf } from './cli/connect.ts';
import { readConfig, warningsOf } from './config.ts';
import { createLogger } from './logger.ts';
import { startApp } from './start-app.ts';
import { bannerLogLines, bannerText } from './start-banner.ts';
import { deliverStartSecret } from './start-secret.ts';
import type { Stores } from './stores/open.ts';

const HELP = `veritrail: a compliance register with its whole history, served over MCP.

  npm start              start the service
  npm start -- --demo    the same; empty stores are filled with a made-up organization first

Settings are environment variables, or lines of a .env file; see README.md. Tokens: npx veritrail token --help
`;

async function main(): Promise<void> {
  const values = readOptions();
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const config = readConfig(process.env, process.cwd());
  const logger = createLogger(config.logLevel);
  for (const warning of warningsOf(config)) logger.warn(warning);
  const notes: string[] = [];
  const fill = async (stores: Stores) => {
    const { fillDemo } = await import('./demo/fill.ts');
    if (await fillDemo(stores)) return;
    notes.push('The demo was not filled in: there is data already, and it needs empty stores.');
  };
  const started = await startApp(config, logger, values.demo ? fill : undefined);
  const { port, firstToken, setupLink, organizationId, stop } = started;
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
  const address = addressOf(config, port);
  const link = setupLink === null ? null : `${address}/welcome?key=${setupLink}`;
  const greeting = {
    ...{ address, endpoint: endpointOf(config, port), organizationId, notes },
    // One that an earlier start has left is still good.
    firstToken: firstToken === null ? null : deliverStartSecret(config, 'first-token', firstToken),
    setupLink: deliverStartSecret(config, 'setup-link', link),
  };
  // One write, and the last step: whoever waits for it finds all of it, and a service that can be stopped. What collects
  // output gets lines of JSON, as all others are.
  process.stdout.write(process.stdout.isTTY ? bannerText(greeting) : bannerLogLines(greeting));
}

/** The options of the start. @throws Error that names the next step where one is not known */
function readOptions() {
  try {
    return parseArgs({ options: { demo: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message.replace(/\.$/, '')}. "npm start -- --help" lists what there is.`, { cause: error });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`veritrail could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
