// A thread of the service. src/app/threads/start-program.ts starts it.
import { workerData } from 'node:worker_threads';
import { runProgram } from './program.js';

await runProgram(workerData.program);
