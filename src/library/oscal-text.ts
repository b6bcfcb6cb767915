import { z } from 'zod';

/** A parameter of a control's text. Each organization fills it in: with a text (`label`), or one of several choices. */
export const oscalParameter = z.object({
  id: z.string(),
  label: z.string().optional(),
  values: z.array(z.string()).optional(),
  select: z.object({ 'how-many': z.string().optional(), choice: z.array(z.string()).default([]) }).optional(),
});

/** A part of a control's text. The parts inside it are its list items. */
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

/** A placeholder of a parameter: `{{ insert: param, ac-1_prm_1 }}`, in older files `{{ ac-1_prm_1 }}`. */
const PLACEHOLDER = /\{\{\s*(?:insert:\s*param,\s*)?([^\s{}]+)\s*\}\}/g;

/** Choices may contain placeholders too. This limit ends the recursion in a file where they form a circle. */
const MAX_PLACEHOLDER_DEPTH = 4;

/** Replaces placeholders by words in brackets, as the printed publications do. */
export class OscalParameters {
  private readonly byId: ReadonlyMap<string, OscalParameter>;

  constructor(parameters: readonly OscalParameter[]) {
    this.byId = new Map(parameters.map((parameter) => [parameter.id, parameter]));
  }

  fill(text: string, depth = 0): string {
    return text.replace(
      PLACEHOLDER,
      (_, id: string) => `[${depth < MAX_PLACEHOLDER_DEPTH ? this.textOf(id, depth) : id}]`,
    );
  }

  private textOf(id: string, depth: number): string {
    const { values, select, label } = this.byId.get(id) ?? {};
    if (values !== undefined && values.length > 0) return values.join(', ');
    if (select === undefined || select.choice.length === 0) return label ?? id;
    const choose = select['how-many'] === 'one-or-more' ? 'one or more of' : 'one of';
    return `${choose}: ${select.choice.map((choice) => this.fill(choice, depth + 1)).join('; ')}`;
  }
}

/** Returns a control's statement as lines. List items have their labels ("a.") and are indented. */
export function controlStatement(parts: readonly OscalPart[], parameters: OscalParameters): string {
  return parts
    .filter(({ name }) => name === 'statement')
    .flatMap((statement) => linesOf(statement, parameters, ''))
    .join('\n');
}

function linesOf(part: OscalPart, parameters: OscalParameters, indent: string): string[] {
  const prose = parameters
    .fill(part.prose ?? '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  const label = part.props.find((prop) => prop.name === 'label' && prop.class === undefined)?.value ?? '';
  const line = `${label} ${prose}`.trim();
  const below = line === '' ? indent : `${indent}  `;
  const inside = part.parts.flatMap((child) => linesOf(child, parameters, below));
  return line === '' ? inside : [`${indent}${line}`, ...inside];
}
