import { MAX_ANSWER_CHARACTERS } from '../../present-records.ts';
import type { AnswerWriter, ReportHead, ReportPage } from '../report-page.ts';

/** Characters reserved for the members around the data. */
const HEAD_LENGTH = 3_000;
const size = (value: unknown) => JSON.stringify(value).length + 1;

/** Writes the report as data, with people's ids in the rows and their names beside them. */
export const reportJson: AnswerWriter = {
  capacity: MAX_ANSWER_CHARACTERS - HEAD_LENGTH,
  headSize: size,
  figuresSize: size,
  sectionSize: ({ name, note }) => size([name, note]) + 30,
  rowSize: (_section, row) => size(row),
  nameSize: ([key, name]) => size(key) + size(name),
  write: (head, page) => ({
    data: dataOf(page),
    people: Object.fromEntries(page.people),
    ...leftOutMembers(page),
    ...truncationMembers(head, page),
  }),
};

function dataOf({ figures, parts, isContinuation: continued }: ReportPage): object {
  const sections = parts.map(({ section: { name, note }, rows }) => ({ name, ...(note ? { note } : {}), rows }));
  return { ...(continued ? {} : { figures }), sections };
}

/** Says that rows are cut, so the digest can't be computed from this page, and where to get them whole. */
export function truncationMembers(
  { organization, type, position }: ReportHead,
  { isTruncated: truncated }: ReportPage,
): { truncated?: true; whole?: string } {
  if (!truncated) return {};
  const path = `/api/v1/organizations/${organization.id}/reports/${type}?as_of=${position}`;
  return { truncated, whole: `Rows with truncated are cut. GET ${path} with the same inputs returns them whole.` };
}

/** Returns the number of rows after this page, by section. */
export function leftOutMembers({ parts }: ReportPage): { left_out?: Record<string, number> } {
  const left = parts
    .filter((part) => part.rowsAfter > 0)
    .map(({ section, rowsAfter: left }) => [section.name, left] as const);
  return left.length === 0 ? {} : { left_out: Object.fromEntries(left) };
}
