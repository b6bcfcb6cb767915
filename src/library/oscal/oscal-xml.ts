import { Refusal } from '../../commands/engine/refusal.ts';
import type { JsonObject } from '../formats/json-object.ts';
import { readXml } from './read-xml.ts';

interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  content: (XmlElement | string)[];
}

/** Elements of OSCAL that JSON has in a list of this name. */
const LIST_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    add: 'adds',
    alter: 'alters',
    choice: 'choice',
    constraint: 'constraints',
    control: 'controls',
    'exclude-controls': 'exclude-controls',
    group: 'groups',
    guideline: 'guidelines',
    import: 'imports',
    'include-controls': 'include-controls',
    'insert-controls': 'insert-controls',
    matching: 'matching',
    param: 'params',
    part: 'parts',
    prop: 'props',
    remove: 'removes',
    resource: 'resources',
    rlink: 'rlinks',
    'set-parameter': 'set-parameters',
    value: 'values',
    'with-id': 'with-ids',
  }),
);

/** Elements whose content is a text. */
const TEXTS = new Set(['title', 'version', 'label', 'choice', 'value', 'with-id', 'description']);

/** Elements that a register needs, and that appear once, as objects. */
const OBJECTS = new Set(['metadata', 'select', 'merge', 'combine', 'custom', 'modify', 'back-matter']);

/** Blocks of markup. Their text becomes the `prose` of the element around them. */
const BLOCKS = new Set(['p', 'ul', 'ol', 'pre', 'table', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
/** Parts of blocks that are lines of their own. */
const LINES = new Set(['li', 'tr', 'thead', 'tbody']);

/**
 * Reads an OSCAL document in XML as the JSON that it stands for: `{ catalog: … }`. Members that no register needs are left
 * out.
 * @throws Refusal for a document that isn't well-formed, and for one with a document type, which could define entities
 */
export function readOscalXml(bytes: Uint8Array): JsonObject {
  const document: XmlElement = { name: '', attributes: {}, content: [] };
  const path = [document];
  try {
    readXml(bytes, {
      open(name, attributes) {
        const element: XmlElement = { name, attributes, content: [] };
        path.at(-1)!.content.push(element);
        path.push(element);
      },
      close: () => void path.pop(),
      text: (text) => void path.at(-1)!.content.push(text),
    });
  } catch {
    throw damagedXml();
  }
  const [root] = elementsOf(document);
  return { [root!.name]: objectOf(root!) };
}

const damagedXml = () =>
  new Refusal(
    'invalid_input',
    'The XML is not well-formed, or it has a document type, which is not read. Choose another file, or the JSON version.',
  );

function elementsOf({ content }: XmlElement): XmlElement[] {
  return content.filter((item) => typeof item !== 'string');
}

function objectOf(element: XmlElement): JsonObject {
  const members: JsonObject = {};
  const lists = new Map<string, unknown[]>();
  const blocks: string[] = [];
  for (const child of elementsOf(element)) {
    const listName = LIST_NAMES.get(child.name);
    if (BLOCKS.has(child.name)) blocks.push(linesOf(child));
    else if (listName !== undefined) {
      const value = TEXTS.has(child.name) ? textOf(child) : objectOf(child);
      const list = lists.get(listName);
      if (list === undefined) lists.set(listName, [value]);
      else list.push(value);
    } else if (TEXTS.has(child.name)) members[child.name] = textOf(child);
    else if (OBJECTS.has(child.name)) members[child.name] = objectOf(child);
  }
  if (blocks.length > 0) members.prose = blocks.join('\n\n');
  return { ...element.attributes, ...members, ...Object.fromEntries(lists) };
}

/** Returns a text without its markup, and on one line. */
function textOf(element: XmlElement): string {
  return inlineText(element).replaceAll(/\s+/g, ' ').trim();
}

function inlineText({ content }: XmlElement): string {
  return content.map((item) => (typeof item === 'string' ? item : inlineElement(item))).join('');
}

function inlineElement(element: XmlElement): string {
  const { name, attributes } = element;
  // The older name of the attribute is from versions before 1.0.
  if (name === 'insert') return `{{ insert: param, ${attributes['id-ref'] ?? attributes['param-id'] ?? ''} }}`;
  return BLOCKS.has(name) ? ` ${inlineText(element)} ` : inlineText(element);
}

/** Returns a block as lines: each paragraph, list item and row of a table on its own. */
function linesOf(element: XmlElement): string {
  if (element.name === 'tr') return elementsOf(element).map(textOf).join(' | ');
  const isLine = (item: XmlElement | string) =>
    typeof item !== 'string' && (BLOCKS.has(item.name) || LINES.has(item.name));
  const text = textOf({ ...element, content: element.content.filter((item) => !isLine(item)) });
  const lines = [text, ...elementsOf(element).filter(isLine).map(linesOf)].filter((line) => line !== '').join('\n');
  return element.name === 'li' ? `- ${lines}` : lines;
}
