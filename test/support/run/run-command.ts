import { Writable } from 'node:stream';
import { run } from '../../../src/cli/run.ts';

export interface ProgramResult {
  code: number;
  out: string;
  err: string;
  /** The bytes that it wrote to a pipe. */
  piped: string;
}

/** Runs the `veritrail` command in this process, with a working folder and a data folder. */
export async function veritrail(
  where: { cwd: string; dataDir?: string; env?: Readonly<Record<string, string>> },
  ...args: string[]
): Promise<ProgramResult> {
  const out: string[] = [];
  const err: string[] = [];
  const piped: Buffer[] = [];
  const shell = {
    env: { DATA_DIR: where.dataDir ?? where.cwd, ...where.env },
    cwd: where.cwd,
    stdout: new Writable({
      write(piece: Buffer, _encoding, done) {
        piped.push(piece);
        done();
      },
    }),
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
  };
  return {
    code: await run(args, shell),
    out: out.join('\n'),
    err: err.join('\n'),
    piped: Buffer.concat(piped).toString(),
  };
}
