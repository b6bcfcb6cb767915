import { run } from '../../../src/cli/run.ts';

export interface ProgramResult {
  code: number;
  out: string;
  err: string;
}

/** Runs the `veritrail` command in this process, with a working folder and a data folder. */
export async function veritrail(
  where: { cwd: string; dataDir?: string; env?: Readonly<Record<string, string>> },
  ...args: string[]
): Promise<ProgramResult> {
  const out: string[] = [];
  const err: string[] = [];
  const shell = {
    env: { DATA_DIR: where.dataDir ?? where.cwd, ...where.env },
    cwd: where.cwd,
    out: (text: string) => out.push(text),
    err: (text: string) => err.push(text),
  };
  return { code: await run(args, shell), out: out.join('\n'), err: err.join('\n') };
}
