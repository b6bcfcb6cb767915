import { Refusal } from '../../commands/engine/refusal.ts';
import type { OscalParameter, OscalPart } from './oscal-model.ts';

/** A placeholder of a parameter: `{{ insert: param, ac-1_prm_1 }}`, in older files `{{ ac-1_prm_1 }}`. */
const PLACEHOLDER = /\{\{\s*(?:insert:\s*param,\s*)?([^\s{}]+)\s*\}\}/g;

/** A link in Markdown to another part of the catalog: `[AU-2a.](#au-2_smt.a)`. */
const INTERNAL_LINK = /\[([^[\]]*)\]\(#[^()\s]*\)/g;

/** Choices may contain placeholders too. This limit ends the recursion in a file where they form a circle. */
const MAX_PLACEHOLDER_DEPTH = 4;

/** Characters that may take the place of all placeholders. NIST SP 800-53 needs a fiftieth. */
const MAX_FILLED_CHARACTERS = 16_000_000;

/**
 * Replaces placeholders by words in brackets, as the printed publications do. Assigned values stand for the parameter,
 * constraints stand behind its words: "[frequency: at least annually]".
 */
export class OscalParameters {
  /** Ids of the parameters that texts contain, and of those to which nobody has assigned anything. */
  readonly used = new Set<string>();
  readonly open = new Set<string>();
  private readonly byId: ReadonlyMap<string, OscalParameter>;
  private filledCharacters = 0;

  constructor(parameters: readonly OscalParameter[]) {
    this.byId = new Map(parameters.map((parameter) => [parameter.id, parameter]));
  }

  /** @throws Refusal for a file whose parameters contain one another so often that its texts would not fit in memory */
  fill(text: string, depth = 0): string {
    return text.replace(PLACEHOLDER, (_, id: string) => {
      const words = depth < MAX_PLACEHOLDER_DEPTH ? this.textOf(id, depth) : id;
      this.count(words);
      return `[${words}]`;
    });
  }

  private count({ length }: { length: number }): void {
    this.filledCharacters += length;
    if (this.filledCharacters <= MAX_FILLED_CHARACTERS) return;
    throw new Refusal(
      'invalid_input',
      'The parameters of the catalog fill its texts with more than 16 million characters. Choose another version of it.',
    );
  }

  private textOf(id: string, depth: number): string {
    const parameter = this.byId.get(id);
    this.used.add(id);
    if (parameter === undefined) {
      this.open.add(id);
      return id;
    }
    const values = valuesOf(parameter);
    const constraints = [...constraintsOf(parameter), ...this.aggregatedValues(parameter)];
    if (values.length === 0 && constraints.length === 0) this.open.add(id);
    const words = values.length > 0 ? values.join(', ') : this.wordsOf(parameter, depth);
    return constraints.length === 0 ? words : `${words}: ${constraints.join('; ')}`;
  }

  /** Returns the words for a value that each organization decides. */
  private wordsOf({ id, select, label, guidelines = [] }: OscalParameter, depth: number): string {
    if (select === undefined || select.choice.length === 0) return label ?? guidelines[0]?.prose.trim() ?? id;
    const choose = select['how-many'] === 'one-or-more' ? 'one or more of' : 'one of';
    return `${choose}: ${select.choice.map((choice) => this.fill(choice, depth + 1)).join('; ')}`;
  }

  /** Returns the values of the parameters that one stands for in the text, as in NIST SP 800-53 revision 5. */
  private aggregatedValues({ props }: OscalParameter): string[] {
    const ids = props.filter(({ name }) => name === 'aggregates').map(({ value }) => value);
    return ids.flatMap((id) => {
      const parameter = this.byId.get(id);
      const words = parameter === undefined ? [] : [...valuesOf(parameter), ...constraintsOf(parameter)];
      words.forEach(this.count, this);
      return words;
    });
  }
}

function valuesOf({ values = [] }: OscalParameter): string[] {
  return values.filter((value) => value.trim() !== '');
}

function constraintsOf({ constraints = [] }: OscalParameter): string[] {
  const texts = constraints.map(({ description = '' }) => description.replaceAll(/\s+/g, ' ').trim());
  return texts.filter((text) => text !== '');
}

/** Returns a control's statement as lines. List items have their labels ("a.") and are indented. */
export function controlStatement(parts: readonly OscalPart[], parameters: OscalParameters): string {
  return parts
    .filter(({ name }) => name === 'statement')
    .flatMap((statement) => linesOf(statement, parameters, ''))
    .join('\n');
}

function linesOf(part: OscalPart, parameters: OscalParameters, indent: string): string[] {
  const text = [part.title ?? '', part.prose ?? ''].filter((each) => each.trim() !== '').join('\n');
  const prose = parameters.fill(text).replaceAll(INTERNAL_LINK, '$1').replaceAll(/ {2,}/g, ' ').trim();
  const label = part.props.find((prop) => prop.name === 'label' && prop.class === undefined)?.value ?? '';
  const line = `${label} ${prose}`.trim();
  const below = line === '' ? indent : `${indent}  `;
  const inside = part.parts.flatMap((child) => linesOf(child, parameters, below));
  return line === '' ? inside : [`${indent}${line}`, ...inside];
}
