import type { z } from 'zod';
import type { ErrorCode } from '../error-codes.ts';
import { RECORD_FILES } from '../record-file-catalog.ts';
import { reportTool } from '../report-tool.ts';
import { componentRef, fullSchema, type JsonSchema, withoutTitles } from '../schema/json-schema.ts';

/** A format's name in requests, and its media type. */
export interface OfferedFormat {
  name: string;
  mediaType: string;
}

/** The formats of files. Without formats there are no files. */
export interface FileFormats {
  records: readonly OfferedFormat[];
  reports: readonly OfferedFormat[];
}

/** A GET request that returns the data of a list or a report as a file. */
export interface FileOperation {
  path: string;
  /** The family's plural; absent for a file about several families. */
  family?: string;
  operation: { operationId: string; description: string; parameters: object[]; responses: Record<string, object> };
}

export const FILE_ERROR_CODES: readonly ErrorCode[] = [
  'invalid_input',
  'unauthorized',
  'forbidden',
  'not_found',
  'rate_limited',
  'internal',
  'unavailable',
];

const ORGANIZATION_PATH = '/api/v1/organizations/{organization_id}';
const STRING_SCHEMA = { type: 'string' };
const AS_OF_DESCRIPTION = 'a past moment: a date, a time, the id of a completed audit, or a position';

/** Returns the operations of all files. Their parameters are the inputs of the list or tool that reads the same data. */
export function fileOperations({ records, reports }: FileFormats): FileOperation[] {
  const lists = records.length === 0 ? [] : RECORD_FILES.map((file) => recordFileOperation(file, records));
  return reports.length === 0 ? lists : [...lists, reportFileOperation(reports)];
}

function recordFileOperation(
  { name, input, record }: (typeof RECORD_FILES)[number],
  formats: readonly OfferedFormat[],
): FileOperation {
  const { organization_id, filter } = inputsOf(input());
  const [item, path, lineId] =
    record === undefined ? ['change', name, 'position'] : [record.title, `records/${name}`, 'id'];
  return {
    path: `${ORGANIZATION_PATH}/${path}`,
    ...(record === undefined ? {} : { family: name }),
    operation: {
      operationId: `download${name[0]!.toUpperCase()}${name.slice(1)}`,
      description: `All ${name} that the filters find at one position, without a limit: one ${item} per line. To resume an interrupted file, repeat its inputs with cursor and after.`,
      parameters: [
        parameter('path', 'organization_id', organization_id!),
        ...queryParameters(filter!.properties as Record<string, JsonSchema>),
        parameter('query', 'as_of', STRING_SCHEMA, AS_OF_DESCRIPTION),
        parameter('query', 'cursor', STRING_SCHEMA, 'the header Veritrail-Cursor of the interrupted file'),
        parameter('query', 'after', STRING_SCHEMA, `the ${lineId} in its last complete line`),
        formatParameter(formats),
        parameter('query', 'delimiter', { ...STRING_SCHEMA, enum: [',', ';'] }, 'between the cells of a CSV'),
      ],
      responses: {
        200: {
          description: 'The lines of the file. If the response ends without the last chunk, lines are missing.',
          headers: {
            'Veritrail-Position': header('The position of the file. Pass it as as_of to get the same lines again.'),
            'Veritrail-Date': header('The date that due dates are compared with.'),
            'Veritrail-Cursor': header('Resumes this file.'),
            'Veritrail-Incomplete': header('true if an event could not be read, so something may be missing.'),
          },
          content: contentOf(formats, { xlsx: {} }),
        },
      },
    },
  };
}

function reportFileOperation(formats: readonly OfferedFormat[]): FileOperation {
  const { input, name } = reportTool;
  const {
    organization_id,
    type,
    as_of: _asOf,
    format: _format,
    cursor: _cursor,
    filter: _filter,
    ...filters
  } = inputsOf(input);
  const errorContent = { 'application/json': { schema: componentRef('ErrorOutput') } };
  return {
    path: `${ORGANIZATION_PATH}/reports/{type}`,
    operation: {
      operationId: 'downloadReport',
      description: `The complete report of ${name} as a file.`,
      parameters: [
        parameter('path', 'organization_id', organization_id!),
        parameter('path', 'type', type!),
        ...queryParameters(filters),
        parameter('query', 'filter', STRING_SCHEMA, 'EVIDENCE: JSON, or each of its members as a parameter'),
        parameter('query', 'as_of', STRING_SCHEMA, AS_OF_DESCRIPTION),
        formatParameter(formats, 'the file’s format; by default chosen by the Accept header'),
        parameter('header', 'If-None-Match', STRING_SCHEMA, 'the ETag of a file that you already have'),
      ],
      responses: {
        200: {
          description: 'The report.',
          headers: { ETag: header('Unchanged if only the time of generation differs.') },
          content: contentOf(formats, {
            json: { type: 'object', required: ['report'], properties: { report: componentRef('Report') } },
            xlsx: {},
            pdf: {},
          }),
        },
        304: { description: 'The file is unchanged: its ETag is in If-None-Match.' },
        501: {
          description: 'This server can’t make PDFs, because it has no browser. Request html and print it.',
          content: errorContent,
        },
      },
    },
  };
}

/** Returns the schemas of an input's members by name. */
export const inputsOf = (input: z.ZodType) =>
  (withoutTitles(fullSchema(input)).properties ?? {}) as Record<string, JsonSchema>;

export const queryParameters = (inputs: Record<string, JsonSchema>) =>
  Object.entries(inputs).map(([name, { description, ...schema }]) =>
    parameter('query', name, schema, description as string | undefined),
  );

function parameter(
  location: 'path' | 'query' | 'header',
  name: string,
  schema: JsonSchema,
  description?: string,
): object {
  const required = location === 'path' ? { required: true } : {};
  return { name, in: location, ...(description === undefined ? {} : { description }), ...required, schema };
}

const formatParameter = (formats: readonly OfferedFormat[], description?: string) =>
  parameter('query', 'format', { ...STRING_SCHEMA, enum: formats.map(({ name }) => name) }, description);

const header = (description: string) => ({ description, schema: STRING_SCHEMA });

/** Returns the content of each format: a string, unless the format has a schema. */
function contentOf(formats: readonly OfferedFormat[], schemas: Readonly<Record<string, JsonSchema>> = {}): object {
  return Object.fromEntries(
    formats.map(({ name, mediaType }) => [mediaType.split(';')[0]!, { schema: schemas[name] ?? STRING_SCHEMA }]),
  );
}
