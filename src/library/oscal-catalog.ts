import { z } from 'zod';
import { Refusal } from '../commands/engine/refusal.ts';
import { ControlList, type FrameworkControl, MAX_NAME_LENGTH } from './control-list.ts';
import { controlStatement, OscalParameters, oscalParameter, oscalPart } from './oscal-text.ts';

/*
 * The part of an OSCAL catalog in JSON that a register needs (https://pages.nist.gov/OSCAL, catalog model 1.x). The rest
 * of a catalog is ignored.
 */

const propSchema = z.object({ name: z.string(), value: z.string(), class: z.string().optional() });

const controlSchema = z.object({
  id: z.string(),
  title: z.string(),
  props: z.array(propSchema).default([]),
  params: z.array(oscalParameter).default([]),
  parts: z.array(oscalPart).default([]),
  get controls() {
    return z.array(controlSchema).default([]);
  },
});

const groupSchema = z.object({
  params: z.array(oscalParameter).default([]),
  get groups() {
    return z.array(groupSchema).default([]);
  },
  controls: z.array(controlSchema).default([]),
});

const catalogFileSchema = z.object({
  catalog: groupSchema.extend({ metadata: z.object({ title: z.string(), version: z.string() }) }),
});

type Control = z.infer<typeof controlSchema>;
type Group = z.infer<typeof groupSchema>;
type Prop = z.infer<typeof propSchema>;

/** The top-level members of other OSCAL documents. */
const OTHER_MODELS = [
  'profile',
  'component-definition',
  'system-security-plan',
  'assessment-plan',
  'assessment-results',
  'plan-of-action-and-milestones',
  'mapping-collection',
];

/** Classes of labels with padded numbers, such as AC-02, which the publication itself writes as AC-2. */
const PADDED_LABEL_CLASSES = ['zero-padded', 'sp800-53a'];

export interface OscalFramework {
  name: string;
  version: string;
  controls: FrameworkControl[];
}

/**
 * Reads the controls of an OSCAL catalog at any depth, in the file's order. Skips withdrawn controls. Groups are headings
 * and don't become controls.
 *
 * @param json the file's text
 * @param withText uses each control's statement as its description
 * @throws Refusal `invalid_input` that says what is wrong with the file
 */
export function readOscalCatalog(json: string, { withText = false } = {}): OscalFramework {
  const { catalog } = parseCatalog(json);
  const groups = allGroups(catalog);
  const controls = groups.flatMap((group) => allControls(group.controls));
  const parameters = new OscalParameters([...groups, ...controls].flatMap(({ params }) => params));
  const list = new ControlList();
  for (const control of controls) {
    if (isWithdrawn(control)) continue;
    const section_title = identifierOf(control);
    const statement = controlStatement(control.parts, parameters);
    const name = control.title.trim() === section_title ? firstLine(statement) || control.title : control.title;
    list.add(`control ${control.id}`, { section_title, name, description: withText ? statement : undefined });
  }
  return { name: catalog.metadata.title, version: catalog.metadata.version, controls: list.finish() };
}

function parseCatalog(json: string): z.infer<typeof catalogFileSchema> {
  const file = parseJson(json);
  const result = catalogFileSchema.safeParse(file);
  if (result.success) return result.data;
  const otherModel = OTHER_MODELS.find((model) => typeof file === 'object' && file !== null && model in file);
  if (otherModel !== undefined) {
    throw refusal(
      `The file is an OSCAL ${otherModel}, not a catalog. Choose a catalog, or a profile's resolved catalog.`,
    );
  }
  const issue = result.error.issues[0]!;
  throw refusal(
    `The file is not an OSCAL catalog (${issue.path.join('.') || 'top level'}: ${issue.message}). Choose one in JSON.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw refusal('The file is not JSON. Choose an OSCAL catalog in JSON.');
  }
}

function allGroups(from: Group): Group[] {
  return [from, ...from.groups.flatMap(allGroups)];
}

function allControls(from: readonly Control[]): Control[] {
  return from.flatMap((control) => [control, ...allControls(control.controls)]);
}

/** NIST writes `withdrawn` in revision 5 of SP 800-53 and `Withdrawn` in revision 4. */
function isWithdrawn({ props }: Control): boolean {
  return props.some(({ name, value }) => name === 'status' && value.toLowerCase() === 'withdrawn');
}

/**
 * Returns a control's identifier: the label without a class, else one without padding, else any label.
 *
 * In NIST's CSF 2.0, a label is a heading, such as "Asset Management (ID.AM)". The id is the identifier then, and also if
 * there is no label.
 */
function identifierOf({ id, title, props }: Control): string {
  const labels = props.filter(({ name }) => name === 'label');
  const isPadded = (label: Prop) => PADDED_LABEL_CLASSES.includes(label.class ?? '');
  const label =
    labels.find((candidate) => candidate.class === undefined) ??
    labels.find((candidate) => !isPadded(candidate)) ??
    labels[0];
  const isHeading = label?.value === `${title} (${id})`;
  return label === undefined || isHeading ? id : label.value;
}

/** Returns the statement's first line, cut to a name's length. It names a control whose title is only its number. */
function firstLine(statement: string): string {
  const line = statement.split('\n', 1)[0]!;
  return line.length <= MAX_NAME_LENGTH ? line : `${line.slice(0, MAX_NAME_LENGTH - 1).replace(/\s+\S*$/, '')}…`;
}

function refusal(message: string): Refusal {
  return new Refusal('invalid_input', message);
}
