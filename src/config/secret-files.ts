import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Settings with secrets. `<NAME>_FILE` can name a file with the value. */
const SECRETS = ['EVENTSTORE_URL', 'MONGODB_URL', 'OIDC_CLIENT_SECRET', 'METRICS_TOKEN'] as const;

const nameOfFile = (name: string): string => `${name}_FILE`;

export const SECRET_FILE_NAMES: readonly string[] = SECRETS.map(nameOfFile);

/**
 * Reads the files named by `<NAME>_FILE` settings, and sets `<NAME>` to their trimmed content. A relative path starts at
 * `cwd`.
 * @returns the settings, and one sentence for each unusable file, without its path or content
 */
export function withSecretFiles(
  input: Readonly<Record<string, string>>,
  cwd: string,
): { settings: Record<string, string>; faults: string[] } {
  const settings = { ...input };
  const faults: string[] = [];
  for (const name of SECRETS) {
    const path = input[nameOfFile(name)];
    if (path === undefined) continue;
    if (input[name] !== undefined) {
      faults.push(`${name} and ${nameOfFile(name)} are both set. Remove one of them.`);
      continue;
    }
    const [content, fault] = read(resolve(cwd, path));
    if (fault === null) settings[name] = content;
    else faults.push(`${nameOfFile(name)} names a file that ${fault}.`);
  }
  return { settings, faults };
}

/** Returns a file's content and, if it can't be used, why. */
function read(path: string): [content: string, fault: string | null] {
  try {
    const content = readFileSync(path, 'utf8').trim();
    return [content, content === '' ? 'is empty' : null];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return ['', `cannot be read (${code}). Check its path and permissions`];
  }
}
