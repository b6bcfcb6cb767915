/* The thread behind argon2.ts. */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';

// On Linux a priority is a thread's own; elsewhere it would be the whole process's.
if (process.platform === 'linux') {
  try {
    setPriority(0, constants.priority.PRIORITY_LOW);
  } catch {
    // Some sandboxes forbid it: passwords are then checked at the priority of all else.
  }
}

parentPort.on('message', ({ id, password, cost, hash }) => {
  try {
    const answer = hash === undefined ? hashSync(password, cost) : verifySync(hash, password);
    parentPort.postMessage({ id, answer });
  } catch (error) {
    parentPort.postMessage({ id, fault: error.message });
  }
});
