import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Settings that hold a secret: `<NAME>_FILE` may name a file that has the value. */
const SECRETS = ['EVENTSTORE_URL', 'MONGODB_URL', 'OIDC_CLIENT_SECRET', 'METRICS_TOKEN'] as const;

const nameOfFile = (name: string): string => `${name}_FILE`;

/** Names of the settings that name a file with another setting's value. */
export const SECRET_FILE_NAMES: readonly string[] = SECRETS.map(nameOfFile);

/**
 * Reads the files that `<NAME>_FILE` settings name, and puts their content in the place of `<NAME>`, without white space
 * around it. A relative path begins at `cwd`.
 * @returns the settings, and a sentence for each that cannot be used; neither path nor content is repeated
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
      faults.push(`${name} and ${nameOfFile(name)} are both set: keep one of them.`);
      continue;
    }
    const [content, fault] = read(resolve(cwd, path));
    if (fault === null) settings[name] = content;
    else faults.push(`${nameOfFile(name)} names a file that ${fault}.`);
  }
  return { settings, faults };
}

/** A file's content, and what is wrong with it. */
function read(path: string): [content: string, fault: string | null] {
  try {
    const content = readFileSync(path, 'utf8').trim();
    return [content, content === '' ? 'is empty' : null];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return ['', `cannot be read (${code}): check its path, and that this user may read it`];
  }
}
