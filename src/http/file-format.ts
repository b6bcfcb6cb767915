import type { OfferedFormat } from '../mcp/openapi-files.ts';
import { invalidInput } from './http-errors.ts';

/** A way to write a file. */
export interface FileFormat extends OfferedFormat {
  /** Of the file's name, without the dot. */
  extension: string;
}

/** The format of a name, in small or large letters. @throws HttpError where there is none */
export function formatNamed<Format extends OfferedFormat>(formats: readonly Format[], name: string): Format {
  const format = formats.find((candidate) => candidate.name === name.toLowerCase());
  if (format !== undefined) return format;
  const allowed = formats.map((format) => format.name);
  throw invalidInput(`Give format as one of ${allowed.join(', ')}.`, { field: 'format', allowed });
}
