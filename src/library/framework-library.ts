import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type FrameworkControl, MAX_NAME_LENGTH } from './control-list.ts';

/** The frameworks of the library. Each is a file in `data`. */
export const LIBRARY_IDS = ['NIST_CSF_2_0', 'NIST_800_53_R5_HIGH', 'ISO_27001_2022', 'SOC2_2017', 'GDPR'] as const;

export type LibraryId = (typeof LIBRARY_IDS)[number];

/** Returns true for the id of a framework in the library. */
export function isLibraryId(id: unknown): id is LibraryId {
  return (LIBRARY_IDS as readonly unknown[]).includes(id);
}

const line = z.string().min(1);

const controlEntry = z.strictObject({
  section_title: line.max(MAX_NAME_LENGTH),
  name: line.max(MAX_NAME_LENGTH),
  description: line.exactOptional(),
  group: line.max(MAX_NAME_LENGTH).exactOptional(),
});

const frameworkFile = z.strictObject({
  library_id: z.enum(LIBRARY_IDS),
  name: line.max(MAX_NAME_LENGTH),
  version: line,
  publisher: line,
  /** The source of the numbers, and of the titles if they are the publisher's. */
  source: line,
  /** The licence of the publisher's text and of these titles. */
  licence: line,
  /** The author of the titles' wording. */
  wording: line,
  controls: z.array(controlEntry).min(1),
});

export interface LibraryFramework extends Omit<z.infer<typeof frameworkFile>, 'controls'> {
  /** The controls in the publisher's order. */
  controls: readonly FrameworkControl[];
}

export interface LibraryEntry
  extends Pick<LibraryFramework, 'library_id' | 'name' | 'version' | 'publisher' | 'licence'> {
  control_count: number;
}

const cache = new Map<LibraryId, LibraryFramework>();

/** Returns a framework of the library with its controls. The object is cached and shared: don't change it. */
export function libraryFramework(id: LibraryId): LibraryFramework {
  const cachedFramework = cache.get(id);
  if (cachedFramework !== undefined) return cachedFramework;
  const framework = readFramework(id);
  cache.set(id, framework);
  return framework;
}

/** Returns the frameworks that can be adopted, without their controls. */
export function listLibrary(): LibraryEntry[] {
  return LIBRARY_IDS.map((id) => {
    const { library_id, name, version, publisher, licence, controls } = libraryFramework(id);
    return { library_id, name, version, publisher, licence, control_count: controls.length };
  });
}

function readFramework(id: LibraryId): LibraryFramework {
  const file = readFileSync(new URL(`./data/${id}.json`, import.meta.url), 'utf8');
  return frameworkFile.parse(JSON.parse(file));
}
