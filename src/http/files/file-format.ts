import type { OfferedFormat } from '../../tools/openapi/openapi-files.ts';
import { invalidInput } from '../http-errors.ts';

export interface FileFormat extends OfferedFormat {
  /** The file name's extension, without the dot. */
  extension: string;
}

/** Returns the format of this name; case does not matter. @throws HttpError for an unknown name */
export function findFormat<Format extends FileFormat>(formats: readonly Format[], name: string): Format {
  const format = formats.find((candidate) => candidate.name === name.toLowerCase());
  if (format !== undefined) return format;
  const allowed = formats.map((format) => format.name);
  throw invalidInput(`"${name}" is not a valid format. Use one of ${allowed.join(', ')}.`, {
    field: 'format',
    allowed,
  });
}
