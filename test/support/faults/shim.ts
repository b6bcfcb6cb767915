import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('shim.c', import.meta.url));

/** Makes the clock and the disk of processes misbehave that are started with `env`. */
export interface FaultShim {
  env: Record<string, string>;
  /** Sets the wall clock so many milliseconds ahead; negative: behind. */
  setClock(ms: number): void;
  /** Lets this share of the databases' syncs fail, 0 to 100. */
  failSyncs(percent: number): void;
  remove(): void;
}

/** Compiles the shim with the C compiler `cc`. @throws Error if there is none */
export function compileFaultShim(): FaultShim {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-shim-'));
  const library = join(folder, 'shim.so');
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE]);
  const write = (name: string, value: number) => writeFileSync(join(folder, name), String(value));
  return {
    env: { LD_PRELOAD: library, FAULTS: folder },
    setClock: (ms) => write('clock-ms', ms),
    failSyncs: (percent) => write('fsync-percent', percent),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
