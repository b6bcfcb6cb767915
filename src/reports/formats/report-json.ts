import { MAX_ANSWER_CHARACTERS } from '../../queries/records/present-records.ts';
import type { AnswerWriter, ReportHead, ReportPage } from '../pages/report-page.ts';

/** Characters reserved for the members around the data. */
const RESERVED_CHARACTERS = 3_000;
const SECTION_KEYS_LENGTH = 30;
/** Returns the characters of a value in JSON, with the comma after it. */
const size = (value: unknown) => JSON.stringify(value).length + 1;

/** Writes the report as data, with people's ids in the rows and their names in `people`. */
export const reportJson: AnswerWriter = {
  capacity: MAX_ANSWER_CHARACTERS - RESERVED_CHARACTERS,
  headSize: size,
  figuresSize: size,
  sectionSize: ({ name, note }) => size([name, note]) + SECTION_KEYS_LENGTH,
  rowSize: (_section, row) => size(row),
  nameSize: ([key, name]) => size(key) + size(name),
  write: (head, page) => ({
    data: dataOf(page),
    people: Object.fromEntries(page.people),
    ...leftOutMembers(page),
    ...truncationMembers(head, page),
  }),
};

function dataOf({ figures, parts, isContinuation }: ReportPage): object {
  const sections = parts.map(({ section: { name, note }, rows }) => ({ name, ...(note ? { note } : {}), rows }));
  return { ...(isContinuation ? {} : { figures }), sections };
}

/**
 * Returns a note that says where to get the complete rows, if this page cuts any. The digest can't be computed from cut
 * rows.
 */
export function truncationMembers(
  { organization, type, position }: ReportHead,
  { isTruncated }: ReportPage,
): { truncated?: true; whole?: string } {
  if (!isTruncated) return {};
  const path = `/api/v1/organizations/${organization.id}/reports/${type}?as_of=${position}`;
  return {
    truncated: true,
    whole: `Rows with "truncated" are incomplete. GET ${path} with the same inputs returns them complete.`,
  };
}

/** Returns the number of rows after this page, by section. */
export function leftOutMembers({ parts }: ReportPage): { left_out?: Record<string, number> } {
  const rowsLeft = parts
    .filter((part) => part.rowsAfter > 0)
    .map(({ section, rowsAfter }) => [section.name, rowsAfter] as const);
  return rowsLeft.length === 0 ? {} : { left_out: Object.fromEntries(rowsLeft) };
}
