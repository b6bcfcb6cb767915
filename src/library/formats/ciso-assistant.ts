import { z } from 'zod';
import { Refusal } from '../../commands/engine/refusal.ts';
import { ControlList } from '../control-list.ts';
import type { FrameworkReading } from '../framework-reading.ts';
import type { JsonObject } from './json-object.ts';

/*
 * The part of a library of CISO Assistant (https://github.com/intuitem/ciso-assistant-community) that a register needs.
 * Its requirement nodes form a tree: nodes that can be assessed are controls, the others are headings.
 */

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const nodeSchema = z.object({
  urn: z.string(),
  assessable: z.boolean().default(false),
  parent_urn: z.string().nullish(),
  ref_id: text,
  name: text,
  description: text,
});

const frameworkSchema = z.object({ name: z.string(), requirement_nodes: z.array(nodeSchema) });

const librarySchema = z.object({
  version: z.union([z.string(), z.number()]).optional(),
  objects: z.object({
    framework: frameworkSchema.optional(),
    frameworks: z.array(frameworkSchema).optional(),
  }),
});

type Node = z.infer<typeof nodeSchema>;

/** Headings above a node. More are a circle. */
const MAX_NODE_DEPTH = 20;

export function isCisoAssistantLibrary(document: JsonObject): boolean {
  return 'urn' in document && 'objects' in document;
}

/** Reads the framework of a library. @throws Refusal for a library without one, such as a risk matrix */
export function readCisoAssistantLibrary(document: JsonObject, withText: boolean): FrameworkReading {
  const result = librarySchema.safeParse(document);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw refusal(`The file is a library of CISO Assistant, but ${issue!.path.join('.')} is wrong: ${issue!.message}.`);
  }
  const { version, objects } = result.data;
  const frameworks = objects.framework === undefined ? (objects.frameworks ?? []) : [objects.framework];
  const [framework] = frameworks;
  if (framework === undefined || frameworks.length > 1) {
    const members = Object.keys(document.objects as object).join(', ');
    throw refusal(
      `The file is a library of CISO Assistant with ${members || 'nothing'}. Choose one with exactly one framework.`,
    );
  }
  const nodes = new Map(framework.requirement_nodes.map((node) => [node.urn, node]));
  const controls = framework.requirement_nodes.filter(({ assessable }) => assessable);
  const numbers = numbersOf(controls);
  const list = new ControlList(withText);
  for (const node of controls) {
    const above = nodesAbove(node, nodes);
    const parent = above.findLast(({ assessable }) => assessable);
    list.add(`requirement ${node.urn}`, {
      section_title: numbers.get(node.urn)!,
      name: node.name,
      text: node.description,
      groups: above.filter(({ assessable }) => !assessable).map(headingOf),
      ...(parent === undefined ? {} : { parent: numbers.get(parent.urn)! }),
    });
  }
  return { name: framework.name, version: version === undefined ? null : String(version), ...list.finish() };
}

/** Returns the nodes above one, the outermost first. */
function nodesAbove(node: Node, nodes: ReadonlyMap<string, Node>): Node[] {
  const above: Node[] = [];
  let parent = nodes.get(node.parent_urn ?? '');
  while (parent !== undefined && above.length < MAX_NODE_DEPTH) {
    above.unshift(parent);
    parent = nodes.get(parent.parent_urn ?? '');
  }
  return above;
}

/**
 * Returns the number of each control by its URN. A control that has no number, or shares it as paragraph 1 of several
 * articles, gets the end of its URN.
 */
function numbersOf(controls: readonly Node[]): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  for (const { ref_id } of controls) uses.set(ref_id.toLowerCase(), (uses.get(ref_id.toLowerCase()) ?? 0) + 1);
  return new Map(
    controls.map(({ ref_id, urn }) => {
      const isOwn = ref_id.trim() !== '' && uses.get(ref_id.toLowerCase()) === 1;
      return [urn, isOwn ? ref_id : endOfUrn(urn)];
    }),
  );
}

/** Returns the part of a URN behind that of the framework: urn:publisher:risk:req_node:framework:article-3:1. */
function endOfUrn(urn: string): string {
  return urn.split(':').slice(5).join(':') || urn;
}

function headingOf({ ref_id, name, description }: Node): string {
  return `${ref_id} ${name.trim() === '' ? description.split('\n', 1)[0] : name}`.trim();
}

function refusal(message: string): Refusal {
  return new Refusal('invalid_input', message);
}
