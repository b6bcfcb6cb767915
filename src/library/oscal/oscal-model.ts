import { z } from 'zod';

/*
 * The parts of OSCAL catalogs and profiles in JSON that a register needs (https://pages.nist.gov/OSCAL, models 1.x). The
 * rest is ignored.
 */

const propSchema = z.object({
  name: z.string(),
  value: z.string(),
  class: z.string().optional(),
  ns: z.string().optional(),
});

/** The values of a parameter, which profiles can set. */
const parameterValues = {
  label: z.string().optional(),
  values: z.array(z.string()).optional(),
  select: z.object({ 'how-many': z.string().optional(), choice: z.array(z.string()).default([]) }).optional(),
  constraints: z.array(z.object({ description: z.string().optional() })).optional(),
  guidelines: z.array(z.object({ prose: z.string() })).optional(),
};

const parameterSchema = z.object({
  id: z.string(),
  class: z.string().optional(),
  props: z.array(propSchema).default([]),
  ...parameterValues,
});

const partSchema = z.object({
  id: z.string().optional(),
  name: z.string(),
  class: z.string().optional(),
  ns: z.string().optional(),
  title: z.string().optional(),
  prose: z.string().optional(),
  props: z.array(propSchema).default([]),
  get parts() {
    return z.array(partSchema).default([]);
  },
});

const controlSchema = z.object({
  id: z.string(),
  title: z.string().default(''),
  props: z.array(propSchema).default([]),
  params: z.array(parameterSchema).default([]),
  parts: z.array(partSchema).default([]),
  get controls() {
    return z.array(controlSchema).default([]);
  },
});

const groupSchema = z.object({
  title: z.string().default(''),
  params: z.array(parameterSchema).default([]),
  get groups() {
    return z.array(groupSchema).default([]);
  },
  controls: z.array(controlSchema).default([]),
});

const metadataSchema = z.object({ title: z.string(), version: z.string() });

export const catalogSchema = groupSchema.extend({ metadata: metadataSchema });

const controlSelector = z.object({
  'with-child-controls': z.string().optional(),
  'with-ids': z.array(z.string()).default([]),
  matching: z.array(z.object({ pattern: z.string() })).default([]),
});

const selection = {
  'include-controls': z.array(controlSelector).optional(),
  'exclude-controls': z.array(controlSelector).default([]),
};

const customGroup = z.object({
  title: z.string().default(''),
  params: z.array(parameterSchema).default([]),
  'insert-controls': z.array(z.object(selection)).default([]),
  get groups() {
    return z.array(customGroup).default([]);
  },
});

const removal = z.object({
  'by-name': z.string().optional(),
  'by-class': z.string().optional(),
  'by-id': z.string().optional(),
  'by-item-name': z.string().optional(),
  'by-ns': z.string().optional(),
});

const addition = z.object({
  position: z.enum(['before', 'after', 'starting', 'ending']).default('ending'),
  'by-id': z.string().optional(),
  title: z.string().optional(),
  params: z.array(parameterSchema).default([]),
  props: z.array(propSchema).default([]),
  parts: z.array(partSchema).default([]),
});

export const profileSchema = z.object({
  metadata: metadataSchema,
  imports: z.array(z.object({ href: z.string(), ...selection })).min(1),
  merge: z
    .object({
      combine: z.object({ method: z.string().optional() }).optional(),
      custom: z
        .object({
          groups: z.array(customGroup).default([]),
          'insert-controls': z.array(z.object(selection)).default([]),
        })
        .optional(),
    })
    .default({}),
  modify: z
    .object({
      'set-parameters': z.array(z.object({ 'param-id': z.string(), ...parameterValues })).default([]),
      alters: z
        .array(
          z.object({
            'control-id': z.string(),
            removes: z.array(removal).default([]),
            adds: z.array(addition).default([]),
          }),
        )
        .default([]),
    })
    .default({ 'set-parameters': [], alters: [] }),
  'back-matter': z
    .object({
      resources: z
        .array(z.object({ uuid: z.string(), rlinks: z.array(z.object({ href: z.string() })).default([]) }))
        .default([]),
    })
    .default({ resources: [] }),
});

export type OscalProp = z.infer<typeof propSchema>;
/** A parameter of a control's text. Each organization fills it in: with a text (`label`), or one of several choices. */
export type OscalParameter = z.infer<typeof parameterSchema>;
/** A part of a control's text. The parts inside it are its list items. */
export type OscalPart = z.infer<typeof partSchema>;
export type OscalControl = z.infer<typeof controlSchema>;
export type OscalGroup = z.infer<typeof groupSchema>;
export type OscalCatalog = z.infer<typeof catalogSchema>;
export type OscalProfile = z.infer<typeof profileSchema>;
export type OscalSelection = Pick<OscalProfile['imports'][number], 'include-controls' | 'exclude-controls'>;
export type OscalAlteration = OscalProfile['modify']['alters'][number];

/** Returns a group and all groups inside it. */
export function allGroups(from: OscalGroup): OscalGroup[] {
  return [from, ...from.groups.flatMap(allGroups)];
}

/** Returns controls and all controls inside them. */
export function allControls(from: readonly OscalControl[]): OscalControl[] {
  return from.flatMap((control) => [control, ...allControls(control.controls)]);
}
