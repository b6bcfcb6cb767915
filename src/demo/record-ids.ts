import { derivedId, itemCommandId, libraryFrameworkId } from '../commands/engine/ids.ts';
import { FAMILIES } from '../commands/families.ts';
import { adoptionCommand } from '../commands/framework.ts';
import type { Installation } from '../identity/installation/installation.ts';
import { type LibraryId, libraryFramework } from '../library/framework-library.ts';
import type { Story } from './demo-data.ts';

/** Returns the command that adopts a framework of the library. */
export function adoptionOf({ organizationId }: Installation, libraryId: LibraryId) {
  const { library_id, name, version, controls } = libraryFramework(libraryId);
  return adoptionCommand(libraryFrameworkId(organizationId, libraryId), { library_id, name, version, controls });
}

/**
 * Returns the records' ids by their names in the stories. A framework has the name and the id that the library gives it. A
 * control's name is its number. Other ids are derived from the installation and the record's name.
 * @throws Error if two stories have the same name
 */
export function idsByName(stories: readonly Story[], installation: Installation): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const add = (name: string, id: string) => {
    if (ids.has(name)) throw new Error(`Two stories of the demo have the name ${name}`);
    ids.set(name, id);
  };
  for (const { family, name } of stories.flatMap(({ family, names }) => names.map((name) => ({ family, name })))) {
    if (family === 'CONTROL') continue;
    if (family !== 'FRAMEWORK') {
      add(name, derivedId(FAMILIES[family].prefix, itemCommandId(installation.installation, `${family} ${name}`)));
      continue;
    }
    add(name, libraryFrameworkId(installation.organizationId, name));
    for (const { section_title, id } of adoptionOf(installation, name as LibraryId).fields.controls) {
      add(section_title, id);
    }
  }
  return ids;
}
