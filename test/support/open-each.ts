/** Opens the stores that each of the given settings names, as the service does, and logs each failure as it would. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { openStores } from '../../src/stores/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'veritrail-open-'));
const logger = createLogger('trace');
for (const env of JSON.parse(process.env.EACH!) as Record<string, string>[]) {
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
