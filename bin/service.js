// The service: `npm start`.
import { runProgram } from './program.js';

const PARENT_CHECK_MS = 500;

// npm starts a shell that starts this process. On SIGTERM only the shell ends, so the service stops when its parent changes.
if (process.env.npm_lifecycle_event === 'start') {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

await runProgram('main');
