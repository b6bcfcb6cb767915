import { readRecordPage } from '../../../queries/lists/list-records.ts';
import type { Reader } from '../../../queries/moments/snapshot.ts';
import type { RecordRow } from '../field-content.tsx';
import { asOfInput, type RegisterView } from '../open-register.ts';
import { REGISTER_LISTS } from '../register-lists.ts';

/** With more controls, their page is a plain list. */
export const MAX_GROUPED_CONTROLS = 500;

/** A framework with its controls, by the publisher's group, or else by section of their numbers. */
export interface ControlGroup {
  framework: RecordRow;
  controls: readonly RecordRow[];
  sections: ReadonlyMap<string, readonly RecordRow[]>;
}

/** Reads all controls at the view's moment, at most MAX_GROUPED_CONTROLS, under their frameworks. */
export async function readControlGroups(reader: Reader, view: RegisterView): Promise<ControlGroup[]> {
  const controls = await readAll(reader, view, 'controls', ['framework_id', 'group'], {});
  const ids = [...new Set(controls.map(({ framework_id }) => framework_id))];
  // An archived framework too: its controls are in the register until they are archived themselves.
  const filter = { ids, include_archived: true };
  const frameworks = await readAll(reader, view, 'frameworks', ['included_count', 'implemented_count'], filter);
  return frameworks.map((framework) =>
    groupOf(
      framework,
      controls.filter(({ framework_id }) => framework_id === framework.id),
    ),
  );
}

function groupOf(framework: RecordRow, controls: readonly RecordRow[]): ControlGroup {
  return { framework, controls, sections: sectionsOf(controls) };
}

/** Returns controls by the publisher's group, or else by section of their numbers, in their order. */
export function sectionsOf<Row extends RecordRow>(controls: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const sections = new Map<string, Row[]>();
  for (const control of controls) {
    const section = String(control.group ?? sectionOf(String(control.section_title)));
    sections.set(section, [...(sections.get(section) ?? []), control]);
  }
  // Numbers without sections, such as 1, 2 and 3.
  const isFlat = sections.size === controls.length;
  return isFlat ? new Map([['', controls]]) : sections;
}

/** Returns the section of a control's number: 4 of 4.1.2, A.5 of A.5.10, AC of AC-2(1), GV.OC of GV.OC-01. */
function sectionOf(number: string): string {
  return /^(?:[A-Za-z]+\.)?[^.-]+/.exec(number)?.[0] ?? '';
}

/** Reads a family's records that match a filter. @param moreFields fields that its table has no column for */
async function readAll(
  reader: Reader,
  view: RegisterView,
  plural: string,
  moreFields: readonly string[],
  filter: object,
) {
  const { query, tool } = REGISTER_LISTS.get(plural)!;
  const family = { ...query, summary: [...new Set([...query.summary, ...moreFields])] };
  const input = {
    organization_id: view.organization.id,
    filter: { ...filter },
    size: MAX_GROUPED_CONTROLS,
    view: 'SUMMARY',
    ...asOfInput(view),
  } as const;
  const rows: RecordRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await readRecordPage(reader, family, tool, view.caller, { ...input, cursor });
    rows.push(...page.records);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
