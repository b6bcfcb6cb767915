import type { z } from 'zod';
import { shown } from './example.ts';
import { componentSchemas, type JsonSchema, mapSchemas } from './json-schema.ts';
import { errorOutput } from './output.ts';
import type { Tool } from './tool.ts';

/** What the document says of the service itself. */
export interface About {
  /** The service's address, without a trailing slash. */
  server: string;
  version: string;
  description: string;
}

const JSON_BODY = 'application/json';
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } };
const CHALLENGE = { 'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } };

/** The answers that are errors: what each status means, whether a read can have it, and headers of its own. */
const FAILURES: Readonly<Record<number, { means: string; writesOnly?: true; headers?: object }>> = {
  400: { means: 'invalid_input: the input is wrong; issues lists every problem.' },
  401: { means: 'unauthorized: there is no good token.', headers: CHALLENGE },
  403: { means: 'forbidden: the role is too low.' },
  404: { means: 'not_found: it is not there, or not for this token.' },
  409: {
    means: 'conflict or idempotency_conflict: somebody else was first, or the key stands for another input.',
    writesOnly: true,
  },
  413: { means: 'too_large: more than a request, or one write, can hold.' },
  415: { means: 'invalid_input: the body is not JSON.' },
  422: { means: 'invalid_transition: no such move; allowed lists the next ones.', writesOnly: true },
  429: { means: 'rate_limited: too many calls at once.', headers: RETRY_AFTER },
  500: { means: 'internal: the fault is on the service’s side.' },
  503: {
    means: 'unavailable: a store is away. Repeated with the same idempotency_key, nothing is done twice.',
    headers: RETRY_AFTER,
  },
};

/**
 * The direct form of the tools as an OpenAPI 3.1 document, https://spec.openapis.org/oas/v3.1.1.html. One POST a tool:
 * GET, which reads take too, cannot carry filters and would be a second operation of the same name.
 */
export function openapiDocument(tools: readonly Tool[], { server, version, description }: About): object {
  const prefixes = prefixesOf(tools);
  const paths = tools.map((tool) => [`/api/mcp/tools/${tool.name}`, { post: operation(tool, prefixes) }]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'veritrail',
      version,
      description,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    tags: tagsOf(tools),
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemasOf(tools),
      responses: Object.fromEntries(
        Object.entries(FAILURES).map(([status, failure]) => [`Error${status}`, response(failure)]),
      ),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An API token, vtr_…' } },
    },
  };
}

/** Prefixes of ids, by what stands for such an id in examples. */
export function prefixesOf(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const families = tools.flatMap(({ record }) => (record ? [[record.singular, record.prefix] as const] : []));
  return new Map([['organization', 'org'], ...families]);
}

function operation(tool: Tool, prefixes: ReadonlyMap<string, string>): object {
  const { name, description, example, readOnly, input } = tool;
  const failures = Object.entries(FAILURES).filter(([, { writesOnly }]) => !(readOnly && writesOnly));
  return {
    operationId: name,
    tags: [tagOf(tool)],
    description,
    requestBody: {
      required: !input.safeParse({}).success,
      content: { [JSON_BODY]: { schema: ref(inputName(name)), example: shown(example, prefixes) } },
    },
    responses: {
      200: { description: 'Done.', content: { [JSON_BODY]: { schema: ref(outputName(name)) } } },
      ...Object.fromEntries(failures.map(([status]) => [status, { $ref: `#/components/responses/Error${status}` }])),
    },
  };
}

function response({ means, headers }: { means: string; headers?: object }): object {
  return { description: means, ...(headers ? { headers } : {}), content: { [JSON_BODY]: { schema: ref('Error') } } };
}

const tagOf = ({ record }: Tool) => record?.plural ?? 'register';
const tagsOf = (tools: readonly Tool[]) => [...new Set(tools.map(tagOf))].map((name) => ({ name }));

const inputName = (tool: string) => `${tool[0]!.toUpperCase()}${tool.slice(1)}Input`;
const outputName = (tool: string) => `${tool[0]!.toUpperCase()}${tool.slice(1)}Output`;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function schemasOf(tools: readonly Tool[]): Record<string, JsonSchema> {
  const named = new Map<string, z.ZodType>([['Error', errorOutput]]);
  for (const { record } of tools) {
    if (record === undefined) continue;
    named.set(record.title, record.full);
    named.set(`${record.title}Summary`, record.summary);
  }
  for (const { name, input, output } of tools) {
    named.set(inputName(name), input);
    named.set(outputName(name), output);
  }
  const inputs = new Set(tools.map(({ name }) => inputName(name)));
  const schemas = Object.entries(componentSchemas(named));
  return Object.fromEntries(
    schemas.map(([name, schema]) => [name, inputs.has(name) ? untitled(schema) : open(schema)]),
  );
}

/** Titles are for the reference: generators of clients take them for names of types. */
const untitled = (schema: JsonSchema) => mapSchemas(schema, ({ title: _title, ...rest }) => rest);

/** Answers may gain members: a client must not refuse them. */
const open = (schema: JsonSchema) => mapSchemas(untitled(schema), ({ additionalProperties: _closed, ...rest }) => rest);
