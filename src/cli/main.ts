import { createInterface } from 'node:readline/promises';
import { run } from './run.ts';

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: process.stdout,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  ...(process.stdin.isTTY && process.stderr.isTTY ? { confirm } : {}),
  ...(process.stderr.isTTY ? { bar: (text: string) => process.stderr.write(`\r\x1b[2K${text}`) } : {}),
});
