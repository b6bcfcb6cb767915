import { type ResourceLimits, Worker } from 'node:worker_threads';

/** The script that every thread runs first. It loads compiled code, or sources. */
const ENTRY = new URL('../../../bin/thread.js', import.meta.url);

export interface ProgramData {
  program: string;
  settings: unknown;
}

/**
 * Starts a program of this project in a thread of its own.
 * @param program one of PROGRAMS in bin/programs.js. It calls `serveThread`
 * @param settings handed to that call. They must be cloneable: no functions, no class instances
 */
export function startProgram(program: string, settings: unknown, resourceLimits: ResourceLimits = {}): Worker {
  const workerData: ProgramData = { program, settings };
  // Without the options of this process: bin/thread.js loads what TypeScript needs.
  return new Worker(ENTRY, { name: program, workerData, execArgv: [], resourceLimits });
}
