import { UsageError } from '../command.ts';

/** Returns the value of --header-row as a number; 0 for a sheet without headings. @throws UsageError */
export function headingRowOption(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^(?:0|[1-9]\d{0,5})$/.test(text)) throw new UsageError('--header-row takes the number of a row, such as 3.');
  return Number(text);
}
