import { parseArgs } from 'node:util';
import { startFakeEventStoreDb } from './server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const fake = await startFakeEventStoreDb({ port: Number(values.port) });
process.once('SIGTERM', () => void fake.close());
console.log(`listening ${fake.url}`);
