import type { z } from 'zod';
import { ERRORS, type ErrorCode, NOT_JSON_STATUS } from './error-codes.ts';
import { renderExample } from './example.ts';
import { componentRef, componentSchemas, type JsonSchema, mapSchemas, withoutTitles } from './json-schema.ts';
import { FILE_ERROR_CODES, type FileFormats, type FileOperation, fileOperations } from './openapi-files.ts';
import { errorOutput } from './output.ts';
import { reportOutput } from './report-output.ts';
import type { Tool } from './tool.ts';

/** What the document says of the service itself. */
export interface OpenApiOptions {
  /** The service's address, without a trailing slash. */
  server: string;
  version: string;
  description: string;
  files: FileFormats;
}

const JSON_BODY = 'application/json';
const header = (description: string, type: string) => ({ description, schema: { type } });
const RETRY_AFTER = { 'Retry-After': header('Seconds to wait.', 'integer') };

/** Headers of an error's answer. */
const ERROR_HEADERS: Readonly<Partial<Record<ErrorCode, object>>> = {
  unauthorized: { 'WWW-Authenticate': header('How to authenticate.', 'string') },
  rate_limited: RETRY_AFTER,
  unavailable: RETRY_AFTER,
};
/** What a POST of a read is never answered with; the document has no other methods, so none is ever not allowed. */
const WRITE_ERROR_CODES: readonly string[] = ['conflict', 'idempotency_conflict', 'invalid_transition'];

interface ErrorStatus {
  status: number;
  codes: ErrorCode[];
}

/**
 * The direct form of the tools and the files as an OpenAPI 3.1 document, https://spec.openapis.org/oas/v3.1.1.html. One
 * POST a tool: GET, which reads take too, cannot carry filters and would be a second operation of the same name.
 */
export function openapiDocument(
  tools: readonly Tool[],
  { server, version, description, files }: OpenApiOptions,
): object {
  const prefixes = prefixesOf(tools);
  const paths = [
    ...tools.map((tool) => [`/api/mcp/tools/${tool.name}`, { post: operation(tool, prefixes) }]),
    ...fileOperations(tools, files).map((file) => [file.path, { get: fileOperation(file) }]),
  ];
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
        errorStatuses().map((failure) => [`Error${failure.status}`, errorResponse(failure)]),
      ),
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'An API token, vtr_…' } },
    },
  };
}

/** Prefixes of ids, by what stands for such an id in examples. */
function prefixesOf(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const families = tools.flatMap(({ record }) => (record ? [[record.singular, record.prefix] as const] : []));
  return new Map([['organization', 'org'], ...families]);
}

function operation(tool: Tool, prefixes: ReadonlyMap<string, string>): object {
  const { name, description, example, readOnly, input } = tool;
  return {
    operationId: name,
    tags: [tagOf(tool)],
    description,
    requestBody: {
      required: !input.safeParse({}).success,
      content: { [JSON_BODY]: { schema: componentRef(inputName(name)), example: renderExample(example, prefixes) } },
    },
    responses: {
      200: { description: 'Done.', content: { [JSON_BODY]: { schema: componentRef(outputName(name)) } } },
      ...errorResponses((codes) => !(readOnly && codes.every((code) => WRITE_ERROR_CODES.includes(code)))),
    },
  };
}

function fileOperation({ tool, operation: { responses, ...rest } }: FileOperation): object {
  const possible = errorResponses(
    (codes, status) => status !== NOT_JSON_STATUS && codes.some((code) => FILE_ERROR_CODES.includes(code)),
  );
  return { ...rest, tags: [tagOf(tool)], responses: { ...responses, ...possible } };
}

/** Responses of the errors that are possible, by status. */
function errorResponses(isPossible: (codes: readonly ErrorCode[], status: number) => boolean): object {
  const possible = errorStatuses().filter(({ codes, status }) => isPossible(codes, status));
  return Object.fromEntries(possible.map(({ status }) => [status, { $ref: `#/components/responses/Error${status}` }]));
}

/** The answers that are errors, by status. */
function errorStatuses(): ErrorStatus[] {
  const byStatus = new Map<number, ErrorCode[]>([[NOT_JSON_STATUS, ['invalid_input']]]);
  for (const [code, { status }] of Object.entries(ERRORS) as [ErrorCode, { status: number }][]) {
    if (code !== 'method_not_allowed') byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, codes]) => ({ status, codes })).sort((a, b) => a.status - b.status);
}

function errorResponse({ status, codes }: ErrorStatus): object {
  const when = codes.map((code) => `${code}: ${ERRORS[code].when}.`).join(' ');
  return {
    description: status === NOT_JSON_STATUS ? 'invalid_input: the Content-Type is not application/json.' : when,
    headers: Object.assign({}, ...codes.map((code) => ERROR_HEADERS[code] ?? {})),
    content: { [JSON_BODY]: { schema: componentRef('ErrorOutput') } },
  };
}

const tagOf = ({ record }: Tool) => record?.plural ?? 'register';
const tagsOf = (tools: readonly Tool[]) => [...new Set(tools.map(tagOf))].map((name) => ({ name }));

const inputName = (tool: string) => `${tool[0]!.toUpperCase()}${tool.slice(1)}Input`;
const outputName = (tool: string) => `${tool[0]!.toUpperCase()}${tool.slice(1)}Output`;

function schemasOf(tools: readonly Tool[]): Record<string, JsonSchema> {
  const named = new Map<string, z.ZodType>([
    ['ErrorOutput', errorOutput],
    ['Report', reportOutput.shape.report],
  ]);
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
    schemas.map(([name, schema]) => [name, inputs.has(name) ? withoutTitles(schema) : allowNewMembers(schema)]),
  );
}

/** Answers may gain members: a client must not refuse them. */
const allowNewMembers = (schema: JsonSchema) =>
  mapSchemas(withoutTitles(schema), ({ additionalProperties: _closed, ...rest }) => rest);
