import { Refusal } from '../../commands/engine/refusal.ts';
import { alteredControl, setParameter } from './oscal-changes.ts';
import {
  allControls,
  allGroups,
  type OscalAlteration,
  type OscalCatalog,
  type OscalControl,
  type OscalGroup,
  type OscalProfile,
  type OscalSelection,
} from './oscal-model.ts';

/** An OSCAL document that a profile can import. */
export type OscalSource = { catalog: OscalCatalog } | { profile: OscalProfile };

/** A catalog that was made of a profile and the catalogs that it imports. */
export interface ResolvedProfile {
  catalog: OscalCatalog;
  /** Sentences about instructions of the profile that had no effect. */
  notices: string[];
}

/** The profiles that import one another. The limit ends a circle. */
const MAX_PROFILE_DEPTH = 10;
/** The documents that a profile and those it imports may import in all. The limit ends a circle of many. */
const MAX_PROFILE_IMPORTS = 100;
/** The removals and additions of one control in a profile. Each change copies the control. */
const MAX_CHANGES_OF_CONTROL = 1_000;
const MAX_LISTED_IDS = 10;

/**
 * Resolves a profile: selects controls of the catalogs that it imports, arranges them in groups, and changes their
 * parameters and texts. Groups are kept unless the profile has groups of its own (`custom`).
 *
 * @param readSource reads an imported document by its addresses, relative to the document that imports it
 * @throws Refusal if a source can't be read
 */
export async function resolveProfile(
  profile: OscalProfile,
  readSource: (addresses: readonly string[]) => Promise<{ source: OscalSource; readSource: SourceReader }>,
  { depth = 1, imports = { count: 0 } } = {},
): Promise<ResolvedProfile> {
  if (depth > MAX_PROFILE_DEPTH) {
    throw new Refusal('invalid_input', `The profile imports more than ${MAX_PROFILE_DEPTH} profiles in a row.`);
  }
  const notices: string[] = [];
  const imported: OscalCatalog[] = [];
  for (const { href, ...selection } of profile.imports) {
    imports.count += 1;
    if (imports.count > MAX_PROFILE_IMPORTS) {
      throw new Refusal('invalid_input', `The profile imports more than ${MAX_PROFILE_IMPORTS} documents in all.`);
    }
    const { source, readSource: readNext } = await readSource(addressesOf(href, profile));
    const resolved =
      'catalog' in source
        ? { catalog: source.catalog, notices: [] }
        : await resolveProfile(source.profile, readNext, { depth: depth + 1, imports });
    notices.push(...resolved.notices);
    const selected = idsIn(resolved.catalog, selection);
    notices.push(...absentControls(resolved.catalog, selection));
    imported.push({ ...resolved.catalog, ...selectFrom(resolved.catalog, selected) });
  }
  const merged = mergedCatalog(profile, imported);
  const changed = changedGroup(merged, profile);
  return {
    catalog: { ...changed, metadata: profile.metadata },
    notices: [...notices, ...ineffectiveChanges(merged, profile)],
  };
}

export type SourceReader = Parameters<typeof resolveProfile>[1];

/** Returns the addresses of an import: its own, or those of the resource that it names. */
function addressesOf(href: string, { 'back-matter': { resources } }: OscalProfile): string[] {
  if (!href.startsWith('#')) return [href];
  const resource = resources.find(({ uuid }) => uuid === href.slice(1));
  if (resource === undefined || resource.rlinks.length === 0) {
    throw new Refusal('invalid_input', `The profile imports ${href}, but its back matter has no link for it.`);
  }
  return resource.rlinks.map((link) => link.href);
}

/** Returns the ids of the controls that a selection includes. Without `include-controls`, it includes all. */
function idsIn(
  catalog: OscalGroup,
  { 'include-controls': included, 'exclude-controls': excluded }: OscalSelection,
): Set<string> {
  const all = allGroups(catalog).flatMap(({ controls }) => allControls(controls));
  const matched = (selectors: OscalSelection['exclude-controls']) =>
    selectors.flatMap((selector) => {
      const ids = new Set(selector['with-ids']);
      const selected = all.filter(
        ({ id }) => ids.has(id) || selector.matching.some(({ pattern }) => fitsPattern(id, pattern)),
      );
      return selector['with-child-controls'] === 'yes' ? allControls(selected) : selected;
    });
  const ids = new Set((included === undefined ? all : matched(included)).map(({ id }) => id));
  for (const { id } of matched(excluded)) ids.delete(id);
  return ids;
}

/** Returns true if a text fits a pattern where * stands for any characters and ? for one. Its time is bounded. */
export function fitsPattern(text: string, pattern: string): boolean {
  let [at, patternAt, star, resumeAt] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[patternAt] === '*') {
      [star, resumeAt] = [patternAt, at];
      patternAt++;
    } else if (pattern[patternAt] === '?' || pattern[patternAt] === text[at]) {
      patternAt++;
      at++;
    } else if (star !== -1) {
      patternAt = star + 1;
      resumeAt++;
      at = resumeAt;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(patternAt));
}

/** Returns a group with the selected controls. One whose parent isn't selected takes the parent's place. */
function selectFrom(group: OscalGroup, ids: ReadonlySet<string>): OscalGroup {
  return {
    ...group,
    controls: group.controls.flatMap((control) => selectControl(control, ids)),
    groups: group.groups.map((inner) => selectFrom(inner, ids)),
  };
}

function selectControl(control: OscalControl, ids: ReadonlySet<string>): OscalControl[] {
  const controls = control.controls.flatMap((child) => selectControl(child, ids));
  return ids.has(control.id) ? [{ ...control, controls }] : controls;
}

function mergedCatalog({ metadata, merge }: OscalProfile, imported: readonly OscalCatalog[]): OscalCatalog {
  const all: OscalCatalog = { metadata, title: '', params: [], controls: [], groups: [...imported] };
  const merged = merge.combine?.method === 'use-first' ? firstOfEach(all, new Set()) : all;
  if (merge.custom === undefined) return { ...all, ...merged };
  const custom = { title: '', params: [], ...merge.custom };
  // Parameters of the imported groups stay at the top, because their controls use them.
  const params = allGroups(merged).flatMap((group) => group.params);
  const arranged = customGroup(custom, merged);
  return { ...arranged, metadata, params: [...params, ...arranged.params] };
}

/** Leaves out controls whose ids were seen before. */
function firstOfEach(group: OscalGroup, seen: Set<string>): OscalGroup {
  const keep = (control: OscalControl): OscalControl[] => {
    const isFirst = !seen.has(control.id);
    seen.add(control.id);
    const controls = control.controls.flatMap(keep);
    return isFirst ? [{ ...control, controls }] : controls;
  };
  return {
    ...group,
    controls: group.controls.flatMap(keep),
    groups: group.groups.map((inner) => firstOfEach(inner, seen)),
  };
}

type CustomGroup = NonNullable<OscalProfile['merge']['custom']>['groups'][number];

/** Returns a group of the profile's own with the controls that it inserts. */
function customGroup(custom: CustomGroup, from: OscalGroup): OscalGroup {
  const inserted = custom['insert-controls'].map((selection) => selectFrom(from, idsIn(from, selection)));
  return {
    title: custom.title,
    params: custom.params,
    controls: inserted.flatMap((group) => allGroups(group).flatMap(({ controls }) => controls)),
    groups: custom.groups.map((inner) => customGroup(inner, from)),
  };
}

function changedGroup(group: OscalGroup, { modify }: OscalProfile): OscalGroup {
  const settings = new Map(modify['set-parameters'].map((setting) => [setting['param-id'], setting]));
  const alterations = alterationsByControl(modify.alters);
  const changeControl = (control: OscalControl): OscalControl => {
    const altered = (alterations.get(control.id) ?? []).reduce(alteredControl, control);
    return {
      ...altered,
      params: altered.params.map((parameter) => setParameter(parameter, settings)),
      controls: altered.controls.map(changeControl),
    };
  };
  const changeGroup = (inner: OscalGroup): OscalGroup => ({
    ...inner,
    params: inner.params.map((parameter) => setParameter(parameter, settings)),
    controls: inner.controls.map(changeControl),
    groups: inner.groups.map(changeGroup),
  });
  return changeGroup(group);
}

function alterationsByControl(alters: readonly OscalAlteration[]): ReadonlyMap<string, readonly OscalAlteration[]> {
  const byControl = new Map<string, OscalAlteration[]>();
  const counts = new Map<string, number>();
  for (const alteration of alters) {
    const id = alteration['control-id'];
    const count = (counts.get(id) ?? 0) + alteration.removes.length + alteration.adds.length;
    if (count > MAX_CHANGES_OF_CONTROL) {
      throw new Refusal('invalid_input', `The profile changes ${id} more than ${MAX_CHANGES_OF_CONTROL} times.`);
    }
    counts.set(id, count);
    const others = byControl.get(id);
    if (others === undefined) byControl.set(id, [alteration]);
    else others.push(alteration);
  }
  return byControl;
}

function absentControls(catalog: OscalGroup, { 'include-controls': included = [] }: OscalSelection): string[] {
  const present = new Set(allGroups(catalog).flatMap(({ controls }) => allControls(controls).map(({ id }) => id)));
  const absent = included.flatMap((selector) => selector['with-ids']).filter((id) => !present.has(id));
  return absent.length === 0 ? [] : [`The profile selects controls that its catalog doesn’t have: ${listIds(absent)}.`];
}

function ineffectiveChanges(merged: OscalGroup, { modify }: OscalProfile): string[] {
  const groups = allGroups(merged);
  const controls = groups.flatMap((group) => allControls(group.controls));
  const controlIds = new Set(controls.map(({ id }) => id));
  const parameterIds = new Set([...groups, ...controls].flatMap(({ params }) => params.map(({ id }) => id)));
  const absent = [
    ...modify['set-parameters'].map((setting) => setting['param-id']).filter((id) => !parameterIds.has(id)),
    ...modify.alters.map((alteration) => alteration['control-id']).filter((id) => !controlIds.has(id)),
  ];
  return absent.length === 0 ? [] : [`The profile changes what it doesn’t select: ${listIds(absent)}.`];
}

function listIds(ids: readonly string[]): string {
  const more = ids.length - MAX_LISTED_IDS;
  return more > 0 ? `${ids.slice(0, MAX_LISTED_IDS).join(', ')} and ${more} more` : ids.join(', ');
}
