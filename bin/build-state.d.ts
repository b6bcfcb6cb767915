/** Returns true if dist/ was built from the current sources, or the folder has no sources. */
export function isBuildCurrent(root: string): boolean;
/** Returns a digest over the path, size and modification time of every source file. */
export function fingerprintSources(root: string): string;
