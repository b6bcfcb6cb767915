// A process that reads one file. src/app/reading/files-in-process.ts starts it.
import { runProgram } from './program.js';

await runProgram('reading-process');
