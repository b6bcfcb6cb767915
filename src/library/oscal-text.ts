import { z } from 'zod';

/** A blank in a text that each organization fills in: with what (`label`), or with which of several choices. */
export const oscalParameter = z.object({
  id: z.string(),
  label: z.string().optional(),
  values: z.array(z.string()).optional(),
  select: z.object({ 'how-many': z.string().optional(), choice: z.array(z.string()).default([]) }).optional(),
});

/** A piece of a control's text; pieces inside it are its list items. */
export const oscalPart = z.object({
  name: z.string(),
  prose: z.string().optional(),
  props: z.array(z.object({ name: z.string(), value: z.string(), class: z.string().optional() })).default([]),
  get parts() {
    return z.array(oscalPart).default([]);
  },
});

export type OscalParameter = z.infer<typeof oscalParameter>;
export type OscalPart = z.infer<typeof oscalPart>;

/** Where a text has a blank: `{{ insert: param, ac-1_prm_1 }}`, in older files `{{ ac-1_prm_1 }}`. */
const BLANK = /\{\{\s*(?:insert:\s*param,\s*)?([^\s{}]+)\s*\}\}/g;

/** Choices may have blanks of their own; a file in which they run in a circle is cut off here. */
const MAX_BLANK_DEPTH = 4;

/** Fills the blanks of texts with words in brackets, as the printed publications do. */
export class OscalParameters {
  private readonly byId: ReadonlyMap<string, OscalParameter>;

  constructor(parameters: readonly OscalParameter[]) {
    this.byId = new Map(parameters.map((each) => [each.id, each]));
  }

  fill(text: string, depth = 0): string {
    return text.replace(BLANK, (_, id: string) => `[${depth < MAX_BLANK_DEPTH ? this.textOf(id, depth) : id}]`);
  }

  private textOf(id: string, depth: number): string {
    const { values, select, label } = this.byId.get(id) ?? {};
    if (values !== undefined && values.length > 0) return values.join(', ');
    if (select === undefined || select.choice.length === 0) return label ?? id;
    const how = select['how-many'] === 'one-or-more' ? 'one or more of' : 'one of';
    return `${how}: ${select.choice.map((choice) => this.fill(choice, depth + 1)).join('; ')}`;
  }
}

/** A control's statement as lines: list items carry their labels ("a.") and are indented below what they belong to. */
export function controlStatement(options: readonly OscalPart[], parameters: OscalParameters): string {
  return options
    .filter(({ name }) => name === 'statement')
    .flatMap((statement) => linesOf(statement, parameters, ''))
    .join('\n');
}

function linesOf(from: OscalPart, parameters: OscalParameters, indent: string): string[] {
  const prose = parameters
    .fill(from.prose ?? '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  const label = from.props.find((each) => each.name === 'label' && each.class === undefined)?.value ?? '';
  const line = `${label} ${prose}`.trim();
  const below = line === '' ? indent : `${indent}  `;
  const inside = from.parts.flatMap((each) => linesOf(each, parameters, below));
  return line === '' ? inside : [`${indent}${line}`, ...inside];
}
