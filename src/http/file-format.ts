import type { OfferedFormat } from '../mcp/openapi-files.ts';
import { invalidInput } from './http-errors.ts';

/** A way to write a file. */
export interface FileFormat extends OfferedFormat {
  /** Of the file's name, without the dot. */
  ending: string;
}

/** The format of a name, in small or large letters. @throws HttpError where there is none */
export function formatNamed<Format extends FileFormat>(formats: readonly Format[], name: string): Format {
  const format = formats.find((one) => one.name === name.toLowerCase());
  if (format !== undefined) return format;
  const allowed = formats.map((one) => one.name);
  throw invalidInput(`Give format as one of ${allowed.join(', ')}.`, { field: 'format', allowed });
}
