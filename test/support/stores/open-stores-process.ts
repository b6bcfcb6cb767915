/**
 * Run as a child process. Opens and closes the stores for each set of variables in ENVIRONMENTS (a JSON array), and
 * logs failures as the service does.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../src/app/logger.ts';
import { ConfigError, readConfig } from '../../../src/config.ts';
import { openStores } from '../../../src/stores/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'veritrail-open-'));
const logger = createLogger('trace');
for (const env of JSON.parse(process.env.ENVIRONMENTS!) as Record<string, string>[]) {
  try {
    const stores = await openStores(readConfig({ DATA_DIR: folder, ...env }, folder));
    console.log('opened');
    await stores.close();
  } catch (error) {
    console.log((error as Error).message.replaceAll('\n', ' '));
    if (!(error instanceof ConfigError)) logger.error({ err: error }, 'the stores could not be opened');
  }
}
rmSync(folder, { recursive: true });
