import type { ErrorCode } from './error-codes.ts';
import { componentRef, fullSchema, type JsonSchema, withoutTitles } from './json-schema.ts';
import { CHANGES_FILE, listToolsByFile } from './record-file-catalog.ts';
import type { Tool } from './tool.ts';

/** A format as it is asked for, and what it is on the wire. */
export interface OfferedFormat {
  name: string;
  mediaType: string;
}

/** In which formats there are files; no format, no files. */
export interface FileFormats {
  records: readonly OfferedFormat[];
  reports: readonly OfferedFormat[];
}

/** A GET that answers a file of what a tool reads. */
export interface FileOperation {
  path: string;
  tool: Tool;
  operation: { operationId: string; description: string; parameters: object[]; responses: Record<string, object> };
}

/** What files can be refused with. */
export const FILE_ERROR_CODES: readonly ErrorCode[] = [
  'invalid_input',
  'unauthorized',
  'forbidden',
  'not_found',
  'rate_limited',
  'internal',
  'unavailable',
];

const ORGANIZATION = '/api/v1/organizations/{organization_id}';
const TEXT = { type: 'string' };
const AS_OF = 'the past: a date, a time, the id of a completed audit, or a position';

/** Every file there is: what narrows it are the inputs of the tool that reads the same. */
export function fileOperations(tools: readonly Tool[], { records, reports }: FileFormats): FileOperation[] {
  const lists =
    records.length === 0 ? [] : listToolsByFile(tools).map(([what, tool]) => recordFileOperation(what, tool, records));
  const report = reports.length === 0 ? [] : tools.filter(({ name }) => name === 'getReport');
  return [...lists, ...report.map((tool) => reportFileOperation(tool, reports))];
}

function recordFileOperation(what: string, tool: Tool, formats: readonly OfferedFormat[]): FileOperation {
  const { organization_id, filter } = inputsOf(tool);
  const [line, place, id] =
    what === CHANGES_FILE ? ['change', CHANGES_FILE, 'position'] : [tool.record!.title, `records/${what}`, 'id'];
  return {
    path: `${ORGANIZATION}/${place}`,
    tool,
    operation: {
      operationId: `download${what[0]!.toUpperCase()}${what.slice(1)}`,
      description: `All that ${tool.name} finds, of one position: each ${line} a line, of any number. To go on with a file that was cut, repeat its inputs with cursor and after.`,
      parameters: [
        parameter('path', 'organization_id', organization_id!),
        ...queryParameters(filter!.properties as Record<string, JsonSchema>),
        parameter('query', 'as_of', TEXT, AS_OF),
        parameter('query', 'cursor', TEXT, 'the header Veritrail-Cursor of the file that was cut'),
        parameter('query', 'after', TEXT, `the ${id} in its last whole line`),
        formatParameter(formats),
      ],
      responses: {
        200: {
          description: 'The lines. Where their chunked encoding does not end, some are missing.',
          headers: {
            'Veritrail-Position': header('As as_of it gives the same lines again.'),
            'Veritrail-Date': header('The day that due dates are compared with.'),
            'Veritrail-Cursor': header('Goes on with this file.'),
            'Veritrail-Incomplete': header('true where an event could not be read: something may lack.'),
          },
          content: contentOf(formats),
        },
      },
    },
  };
}

function reportFileOperation(tool: Tool, formats: readonly OfferedFormat[]): FileOperation {
  const { organization_id, type, as_of: _past, format: _other, cursor: _pages, ...narrowing } = inputsOf(tool);
  const noBrowser = { 'application/json': { schema: componentRef('ErrorOutput') } };
  return {
    path: `${ORGANIZATION}/reports/{type}`,
    tool,
    operation: {
      operationId: 'downloadReport',
      description: `What ${tool.name} tells, whole and as a file.`,
      parameters: [
        parameter('path', 'organization_id', organization_id!),
        parameter('path', 'type', type!),
        ...queryParameters(narrowing),
        parameter('query', 'as_of', TEXT, AS_OF),
        formatParameter(formats, 'as Accept says unless given'),
        parameter('header', 'If-None-Match', TEXT, 'the ETag of a file that is there already'),
      ],
      responses: {
        200: {
          description: 'The report.',
          headers: { ETag: header('The same as long as only the time of drawing differs.') },
          content: contentOf(formats, {
            json: { type: 'object', required: ['report'], properties: { report: componentRef('Report') } },
            pdf: {},
          }),
        },
        304: { description: 'It is what If-None-Match names.' },
        501: {
          description: 'This machine has no browser to make a PDF: ask for html, and print it.',
          content: noBrowser,
        },
      },
    },
  };
}

const inputsOf = ({ input }: Tool) => withoutTitles(fullSchema(input)).properties as Record<string, JsonSchema>;

const queryParameters = (inputs: Record<string, JsonSchema>) =>
  Object.entries(inputs).map(([name, { description, ...schema }]) =>
    parameter('query', name, schema, description as string | undefined),
  );

function parameter(place: 'path' | 'query' | 'header', name: string, schema: JsonSchema, description?: string): object {
  const required = place === 'path' ? { required: true } : {};
  return { name, in: place, ...(description === undefined ? {} : { description }), ...required, schema };
}

const formatParameter = (formats: readonly OfferedFormat[], description?: string) =>
  parameter('query', 'format', { ...TEXT, enum: formats.map(({ name }) => name) }, description);

const header = (description: string) => ({ description, schema: TEXT });

/** A text in every format but those that have a schema. */
function contentOf(formats: readonly OfferedFormat[], schemas: Readonly<Record<string, JsonSchema>> = {}): object {
  return Object.fromEntries(
    formats.map(({ name, mediaType }) => [mediaType.split(';')[0]!, { schema: schemas[name] ?? TEXT }]),
  );
}
