// The service: `npm start`.
import { runProgram } from './program.js';

const PARENT_CHECK_MS = 500;

// npm passes SIGTERM to the shell between, which ends without passing it on. Its end stops the service instead.
if (process.env.npm_lifecycle_event === 'start') {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

await runProgram('main');
