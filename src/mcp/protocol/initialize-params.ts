import { z } from 'zod';

/** A capability's details: an object or a list, because the protocol's own schema accepts both. */
const details = z.custom<object>((value) => typeof value === 'object' && value !== null).optional();
const detailsByName = z.record(z.string(), details.unwrap()).optional();
const text = z.string().optional();

const META = z.object({
  progressToken: z.union([z.string(), z.int()]).optional(),
  'io.modelcontextprotocol/related-task': z.object({ taskId: z.string() }).optional(),
});

const CAPABILITIES = z.object({
  experimental: detailsByName,
  extensions: detailsByName,
  sampling: z.object({ context: details, tools: details }).optional(),
  elicitation: z
    .object({ form: z.object({ applyDefaults: z.boolean().optional() }).optional(), url: details })
    .optional(),
  roots: z.object({ listChanged: z.boolean().optional() }).optional(),
  tasks: z
    .object({
      list: details,
      cancel: details,
      requests: z
        .object({
          sampling: z.object({ createMessage: details }).optional(),
          elicitation: z.object({ create: details }).optional(),
        })
        .optional(),
    })
    .optional(),
});

const CLIENT_INFO = z.object({
  name: z.string(),
  version: z.string(),
  title: text,
  description: text,
  websiteUrl: text,
  icons: z
    .array(
      z.object({
        src: z.string(),
        mimeType: text,
        sizes: z.array(z.string()).optional(),
        theme: z.enum(['light', 'dark']).optional(),
      }),
    )
    .optional(),
});

/** The parameters of `initialize`, as in the protocol's own schema. Unknown members are allowed everywhere. */
export const INITIALIZE_PARAMS = z.object({
  protocolVersion: z.string(),
  capabilities: CAPABILITIES,
  clientInfo: CLIENT_INFO,
  _meta: META.optional(),
});
