import { parseArgs } from 'node:util';
import { startFakeEventStoreDb } from './server.ts';

// When this is EVENTSTORE_COMMAND, the arguments are a folder, which is ignored, and a port.
const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: '0' } },
  allowPositionals: true,
});
const fake = await startFakeEventStoreDb({ port: Number(positionals[1] ?? values.port) });
process.once('SIGTERM', () => void fake.close());
console.log(`listening ${fake.url}`);
