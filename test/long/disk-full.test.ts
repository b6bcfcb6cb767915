import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import { embeddedPair, type Pair } from '../support/stores/pairs.ts';
import { type Outage, runOutage } from '../support/stores/run-outage.ts';

const test = suite('a full disk');

/** Mounts a file system of a few megabytes. Returns null if this user may not mount. */
function smallDisk(): Pair | null {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const close = async () => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  };
  return { name: 'a small disk', env: { DATA_DIR: join(folder, 'data') }, close };
}

/** Writes until the disk is full. */
function fill(file: string): void {
  const ballast = openSync(file, 'a');
  try {
    for (const chunk of [Buffer.alloc(65_536), Buffer.alloc(512)]) {
      try {
        for (;;) writeSync(ballast, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(ballast);
  }
}

const disk = smallDisk();
if (disk !== null) {
  test('writes are unavailable while the disk is full, and succeed once there is space again', async () => {
    const ballast = join(disk.env.DATA_DIR!, '..', 'ballast');
    const outage: Outage = {
      store: null,
      begin: async () => fill(ballast),
      end: async () => rmSync(ballast),
    };
    console.log(JSON.stringify(await runOutage(disk, outage)));
  });
  test.after(disk.close);
}

test('writes are unavailable while files have a size limit, and succeed once it is lifted', async () => {
  const pair = embeddedPair();
  const limit = (pid: number, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  const outage: Outage = {
    store: null,
    begin: async ({ pid }) => void limit(pid, '0'),
    end: async ({ pid }) => void limit(pid, 'unlimited'),
  };
  console.log(JSON.stringify(await runOutage(pair, outage)));
  await pair.close();
});

test.run();
