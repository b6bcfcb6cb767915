import { run } from '../../src/cli/run.ts';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the `veritrail` command in this process, in a folder and on a data folder. */
export async function veritrail(
  where: { cwd: string; dataDir?: string; env?: Readonly<Record<string, string>> },
  ...args: string[]
): Promise<Ran> {
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
