import { join } from 'node:path';

/** Folders of tests that run only with `--<folder>`. Each file may take longer. */
const SEPARATE_FOLDERS = ['long', 'browser', 'soak'];

/** The folder of `SEPARATE_FOLDERS` that a file is in. */
export function separateFolderOf(file: string): string | undefined {
  return SEPARATE_FOLDERS.find((folder) => file.startsWith(join('test', folder, '/')));
}

/**
 * Returns the test files that the arguments select: those of the named folders, or the quick ones; of them those with
 * any of the parts in their path, or all.
 */
export function selectFiles(files: readonly string[], args: readonly string[]): string[] {
  const folders = SEPARATE_FOLDERS.filter((folder) => args.includes(`--${folder}`));
  const parts = args.filter((arg) => !arg.startsWith('--'));
  return files.filter((file) => {
    const folder = separateFolderOf(file);
    const isInFolder = folder === undefined ? folders.length === 0 : folders.includes(folder);
    return isInFolder && (parts.length === 0 || parts.some((part) => file.includes(part)));
  });
}
