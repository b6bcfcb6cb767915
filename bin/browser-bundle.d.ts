/** Returns a module of the project and all its imports as one script. @param root the project's folder */
export function bundleForBrowser(root: string, module: string): string;
