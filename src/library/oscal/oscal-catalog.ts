import { ControlList } from '../control-list.ts';
import type { FrameworkReading } from '../framework-reading.ts';
import { allGroups, type OscalCatalog, type OscalControl, type OscalGroup, type OscalProp } from './oscal-model.ts';
import { controlStatement, OscalParameters } from './oscal-text.ts';

/** Classes of labels with padded numbers, such as AC-02, which the publication itself writes as AC-2. */
const PADDED_LABEL_CLASSES = ['zero-padded', 'sp800-53a'];

/** A control with the titles of the groups around it, and the control that it is part of. */
interface PlacedControl {
  control: OscalControl;
  groups: readonly string[];
  parent?: OscalControl;
}

/**
 * Reads the controls of an OSCAL catalog at any depth, in the file's order. Withdrawn controls are left out and listed in
 * the note. Groups are headings and don't become controls.
 *
 * @param withText uses each control's statement as its description
 * @throws Refusal `invalid_input` that says what is wrong with the file
 */
export function readOscalCatalog(catalog: OscalCatalog, withText: boolean): FrameworkReading {
  const placed = controlsIn(catalog, []);
  const groups = allGroups(catalog);
  const parameters = new OscalParameters(
    [...groups, ...placed.map(({ control }) => control)].flatMap(({ params }) => params),
  );
  const list = new ControlList(withText);
  for (const { control, groups: titles, parent } of placed) {
    const section_title = identifierOf(control);
    if (isWithdrawn(control)) {
      list.withdraw(`control ${control.id}`, { section_title, name: control.title });
      continue;
    }
    const text = controlStatement(control.parts, parameters);
    const isPart = parent !== undefined && !isWithdrawn(parent);
    const entry = { section_title, name: control.title, text, groups: titles };
    list.add(`control ${control.id}`, isPart ? { ...entry, parent: identifierOf(parent) } : entry);
  }
  const { notices, ...reading } = list.finish();
  const { title, version } = catalog.metadata;
  return { name: title, version, ...reading, notices: [...notices, ...(withText ? openParameters(parameters) : [])] };
}

function openParameters({ used, open }: OscalParameters): string[] {
  if (open.size === 0) return [];
  return [
    `The catalog assigns no value to ${open.size} of the ${used.size} parameters in the texts. They stand in square brackets.`,
  ];
}

function controlsIn(group: OscalGroup, titles: readonly string[]): PlacedControl[] {
  const place = (control: OscalControl, parent?: OscalControl): PlacedControl[] => [
    { control, groups: titles, ...(parent === undefined ? {} : { parent }) },
    ...control.controls.flatMap((child) => place(child, control)),
  ];
  return [
    ...group.controls.flatMap((control) => place(control)),
    ...group.groups.flatMap((inner) => controlsIn(inner, [...titles, inner.title])),
  ];
}

/** NIST writes `withdrawn` in revision 5 of SP 800-53 and `Withdrawn` in revision 4. */
function isWithdrawn({ props }: OscalControl): boolean {
  return props.some(({ name, value }) => name === 'status' && value.toLowerCase() === 'withdrawn');
}

/**
 * Returns a control's identifier: the label without a class, else one without padding, else any label.
 *
 * In NIST's CSF 2.0, a label is a heading, such as "Asset Management (ID.AM)". The id is the identifier then, and also if
 * there is no label.
 */
function identifierOf({ id, title, props }: OscalControl): string {
  const labels = props.filter(({ name }) => name === 'label');
  const isPadded = (label: OscalProp) => PADDED_LABEL_CLASSES.includes(label.class ?? '');
  const label =
    labels.find((candidate) => candidate.class === undefined) ??
    labels.find((candidate) => !isPadded(candidate)) ??
    labels[0];
  const isHeading = label?.value === `${title} (${id})`;
  return label === undefined || isHeading ? id : label.value;
}
