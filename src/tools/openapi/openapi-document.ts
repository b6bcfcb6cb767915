import type { z } from 'zod';
import { ERRORS, type ErrorCode, NOT_JSON_STATUS } from '../error-codes.ts';
import { renderExample } from '../schema/example.ts';
import { componentRef, componentSchemas, type JsonSchema, mapSchemas, withoutTitles } from '../schema/json-schema.ts';
import { carriedOutOutput, errorOutput, pendingOutput } from '../schema/output.ts';
import { reportOutput } from '../schema/report-output.ts';
import type { Tool } from '../tool.ts';
import {
  FILE_ERROR_CODES,
  type FileFormats,
  type FileOperation,
  fileOperations,
  inputsOf,
  queryParameters,
} from './openapi-files.ts';

/** The parts of the document that depend on the installation. */
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

const ERROR_HEADERS: Readonly<Partial<Record<ErrorCode, object>>> = {
  unauthorized: { 'WWW-Authenticate': header('How to authenticate.', 'string') },
  rate_limited: RETRY_AFTER,
  unavailable: RETRY_AFTER,
};
const WRITE_ERROR_CODES: readonly string[] = ['conflict', 'idempotency_conflict', 'invalid_transition'];

const isWriteOnlyError = (codes: readonly ErrorCode[]) => codes.every((code) => WRITE_ERROR_CODES.includes(code));

interface ErrorStatus {
  status: number;
  codes: ErrorCode[];
}

/**
 * Returns the OpenAPI 3.1 document of the direct tool endpoints and file downloads. Each tool is one POST. Tools that read
 * are a GET too, whose filters are parameters of their own.
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function openapiDocument(
  tools: readonly Tool[],
  { server, version, description, files }: OpenApiOptions,
): object {
  const prefixes = prefixesOf(tools);
  const paths = [
    ...tools.map((tool) => [`/api/mcp/tools/${tool.name}`, operations(tool, prefixes)]),
    ...fileOperations(files).map((file) => [file.path, { get: fileOperation(file) }]),
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

/** Returns the id prefix for each placeholder's name in examples. */
function prefixesOf(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const families = tools.flatMap(({ record }) => (record ? [[record.singular, record.prefix] as const] : []));
  return new Map([['organization', 'org'], ...families]);
}

function operations(tool: Tool, prefixes: ReadonlyMap<string, string>): object {
  const { name, description, example, readOnly, input } = tool;
  const shared = { tags: [tagOf(tool)], description, responses: responsesOf(tool) };
  const post = {
    operationId: name,
    ...shared,
    requestBody: {
      required: !input.safeParse({}).success,
      content: { [JSON_BODY]: { schema: componentRef(inputName(name)), example: renderExample(example, prefixes) } },
    },
  };
  if (!readOnly) return { post };
  const { filter, ...inputs } = inputsOf(input);
  const filters = (filter?.properties ?? {}) as Record<string, JsonSchema>;
  return {
    get: { operationId: `${name}ByQuery`, ...shared, parameters: queryParameters({ ...filters, ...inputs }) },
    post,
  };
}

const PROPOSED =
  'The call was proposed, because the credential may not do this alone. It waits for a person, or somebody approved it before.';

const PROPOSED_OUTPUT = { anyOf: [componentRef('PendingApproval'), componentRef('CarriedOut')] };

function responsesOf({ name, readOnly }: Tool): object {
  const output = componentRef(outputName(name));
  const response = (description: string, schema: object) => ({ description, content: { [JSON_BODY]: { schema } } });
  return {
    200: response('Success.', output),
    ...(readOnly ? {} : { 202: response(PROPOSED, PROPOSED_OUTPUT) }),
    ...errorResponses((codes) => !readOnly || !isWriteOnlyError(codes)),
  };
}

function fileOperation({ family = GENERAL_TAG, operation: { responses, ...rest } }: FileOperation): object {
  const errors = errorResponses(
    (codes, status) => status !== NOT_JSON_STATUS && codes.some((code) => FILE_ERROR_CODES.includes(code)),
  );
  return { ...rest, tags: [family], responses: { ...responses, ...errors } };
}

/** Returns the responses of an operation's possible errors, by status. */
function errorResponses(isPossible: (codes: readonly ErrorCode[], status: number) => boolean): object {
  const possibleStatuses = errorStatuses().filter(({ codes, status }) => isPossible(codes, status));
  return Object.fromEntries(
    possibleStatuses.map(({ status }) => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}

/** Returns all error statuses, each with its codes. No operation here can get method_not_allowed. */
function errorStatuses(): ErrorStatus[] {
  const byStatus = new Map<number, ErrorCode[]>([[NOT_JSON_STATUS, ['invalid_input']]]);
  for (const [code, { status }] of Object.entries(ERRORS) as [ErrorCode, { status: number }][]) {
    if (code !== 'method_not_allowed') byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, codes]) => ({ status, codes })).sort((a, b) => a.status - b.status);
}

function errorResponse({ status, codes }: ErrorStatus): object {
  const causes = codes.map((code) => `${code}: ${ERRORS[code].when}.`).join(' ');
  return {
    description: status === NOT_JSON_STATUS ? 'invalid_input: the Content-Type is not application/json.' : causes,
    headers: Object.assign({}, ...codes.map((code) => ERROR_HEADERS[code] ?? {})),
    content: { [JSON_BODY]: { schema: componentRef('ErrorOutput') } },
  };
}

/** The tag of operations that aren't about one family. */
const GENERAL_TAG = 'register';
const tagOf = ({ record }: Tool) => record?.plural ?? GENERAL_TAG;
const tagsOf = (tools: readonly Tool[]) => [...new Set(tools.map(tagOf))].map((name) => ({ name }));

const inputName = (tool: string) => `${tool[0]!.toUpperCase()}${tool.slice(1)}Input`;
const outputName = (tool: string) => `${tool[0]!.toUpperCase()}${tool.slice(1)}Output`;

function schemasOf(tools: readonly Tool[]): Record<string, JsonSchema> {
  const zodSchemas = new Map<string, z.ZodType>([
    ['ErrorOutput', errorOutput],
    ['PendingApproval', pendingOutput],
    ['CarriedOut', carriedOutOutput],
    ['Report', reportOutput().shape.report],
  ]);
  for (const { record } of tools) {
    if (record === undefined) continue;
    zodSchemas.set(record.title, record.full);
    zodSchemas.set(`${record.title}Summary`, record.summary);
  }
  for (const { name, input, output } of tools) {
    zodSchemas.set(inputName(name), input);
    zodSchemas.set(outputName(name), output);
  }
  const inputs = new Set(tools.map(({ name }) => inputName(name)));
  const schemas = Object.entries(componentSchemas(zodSchemas));
  return Object.fromEntries(
    schemas.map(([name, schema]) => [name, inputs.has(name) ? withoutTitles(schema) : allowNewMembers(schema)]),
  );
}

/** Allows unknown members: later versions may add some, and clients must accept them. */
const allowNewMembers = (schema: JsonSchema) =>
  mapSchemas(withoutTitles(schema), ({ additionalProperties: _additionalProperties, ...rest }) => rest);
