/** Returns true if the dist/ of a project folder may run. */
export function isBuildCurrent(root: string): boolean;
/** Returns a digest over the path, size and modification time of every source file. */
export function fingerprintSources(root: string): string;
