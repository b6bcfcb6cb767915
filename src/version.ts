import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version of this service in package.json. */
export const VERSION = version;

/** The version with the commit of this build, such as 0.1.0+a816aad8. Without it where no build or no commit is known. */
export const BUILD_VERSION = [version, readCommit()].filter(Boolean).join('+');

/** Reads what the build wrote beside the compiled code. Sources that run without a build have no such file beside them. */
function readCommit(): string | undefined {
  try {
    const build = JSON.parse(readFileSync(new URL('./build.json', import.meta.url), 'utf8')) as { commit?: string };
    return build.commit;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
