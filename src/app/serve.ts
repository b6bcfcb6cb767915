import { startApp } from '../app.ts';
import { readConfig, warningsOf } from '../config.ts';
import type { Stores } from '../stores/open.ts';
import { createLogger } from './logger.ts';
import { mcpEndpointUrl, serviceUrl } from './service-address.ts';
import { bannerLogLines, bannerText, veritrailCommand } from './start-banner.ts';
import { deliverStartSecret } from './start-secret.ts';

/** Starts the service in this process and prints how to reach it. It runs until SIGINT or SIGTERM. */
export async function serve(options: { demo: boolean }): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  const logger = createLogger(config.logLevel);
  for (const warning of warningsOf(config)) logger.warn(warning);
  const notes: string[] = [];
  const loadDemo = async (stores: Stores, today: Date) => {
    const { openDemo } = await import('../demo/fill.ts');
    const people = await openDemo(stores, today);
    if (people === null) notes.push('The demo was not loaded. It needs empty stores, and these have data.');
    return people;
  };
  const app = await startApp(config, logger, options.demo ? loadDemo : undefined);
  const { port, firstToken, setupLink, demoLink, organizationId, stop } = app;
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal does not wait for requests in flight.
      if (stopping) process.exit(1);
      stopping = true;
      stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'the service did not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
  const address = serviceUrl(config, port);
  const linkTo = (path: string, secret: string | null) => (secret === null ? null : `${address}${path}?key=${secret}`);
  const banner = {
    address,
    endpoint: mcpEndpointUrl(config, port),
    organizationId,
    notes,
    command: veritrailCommand(config, process.cwd()),
    // An earlier start's file stays, because its token is still valid.
    firstToken: firstToken === null ? null : deliverStartSecret(config, 'first-token', firstToken),
    setupLink: deliverStartSecret(config, 'setup-link', linkTo('/welcome', setupLink)),
    demoLink: deliverStartSecret(config, 'demo-link', linkTo('/demo', demoLink)),
  };
  // Writes the banner once and last, so that a program waiting for it reads all of it. Without a terminal, it is JSON lines
  // like the log's.
  process.stdout.write(process.stdout.isTTY ? bannerText(banner) : bannerLogLines(banner));
}
