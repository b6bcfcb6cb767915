import { Refusal } from '../../commands/engine/refusal.ts';
import type { JsonObject } from '../formats/json-object.ts';
import { catalogSchema, profileSchema } from './oscal-model.ts';
import type { OscalSource } from './oscal-profile.ts';

const OTHER_MODELS = [
  'component-definition',
  'system-security-plan',
  'assessment-plan',
  'assessment-results',
  'plan-of-action-and-milestones',
  'mapping-collection',
];

/** Returns the OSCAL document in a file, or null for other files. @throws Refusal for a wrong one and for other models */
export function oscalSourceOf(document: JsonObject): OscalSource | null {
  const otherModel = OTHER_MODELS.find((model) => model in document);
  if (otherModel !== undefined) {
    throw new Refusal(
      'invalid_input',
      `The file is an OSCAL ${otherModel}, which has no controls of its own. Choose a catalog or a profile.`,
    );
  }
  if ('catalog' in document) return { catalog: parsed('catalog', catalogSchema.safeParse(document.catalog)) };
  if ('profile' in document) return { profile: parsed('profile', profileSchema.safeParse(document.profile)) };
  return null;
}

interface ParseResult<T> {
  data?: T;
  error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } | undefined;
}

function parsed<T>(model: string, { data, error }: ParseResult<T>): T {
  if (data !== undefined) return data;
  const { path, message } = error!.issues[0]!;
  throw new Refusal(
    'invalid_input',
    `The file is not a valid OSCAL ${model} (${[model, ...path].map(String).join('.')}: ${message}). Fix it, or choose another version.`,
  );
}
