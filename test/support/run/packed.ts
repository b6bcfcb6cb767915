/** The project as a package: built, packed and installed, without the packages for development. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Everything that packing reads. */
const INPUTS = [
  ...['bin', 'docs', 'src', 'scripts/build.mjs', 'scripts/ensure-installed.mjs'],
  ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package-lock.json', 'package.json'],
  ...['tsconfig.json', 'tsconfig.trail.json'],
];

/** A folder outside the project, in which the package is installed. */
export interface PackedProject {
  folder: string;
  /** The package itself. */
  root: string;
  remove(): void;
}

/** A copy of the project that was set up as for a server: built, without the packages for development. */
export function buildClone(): { root: string; remove(): void } {
  const root = copyProject(join(mkdtempSync(join(tmpdir(), 'veritrail-clone-')), 'clone'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'pipe' });
  rmSync(join(root, 'node_modules'));
  installDependencies(root);
  return { root, remove: () => rmSync(dirname(root), { recursive: true }) };
}

/** Copies what packing and building read, with the installed packages. */
function copyProject(root: string): string {
  for (const input of INPUTS) cpSync(join(ROOT, input), join(root, input), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** Packs a copy of the project, so that the project's own dist/ stays as it is, and unpacks the package. */
export function packProject(): PackedProject {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-package-'));
  const clone = copyProject(join(folder, 'clone'));
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  const [file] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
      cwd: clone,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).replace(/^[^[]*/, ''),
  ) as { filename: string }[];
  const root = join(folder, 'node_modules/veritrail');
  mkdirSync(root, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, file!.filename), '--strip-components=1', '-C', root]);
  installDependencies(root);
  rmSync(clone, { recursive: true });
  return { folder, root, remove: () => rmSync(folder, { recursive: true }) };
}

/** Gives the package the packages that it depends on, and no package for development. */
function installDependencies(root: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) {
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || dev) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(root, path));
  }
}
