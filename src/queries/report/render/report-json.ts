import { ANSWER_CHARACTERS } from '../../present.ts';
import type { AnswerFormat, Head, Page } from '../page.ts';

/** Room for what else stands around the data. */
const AROUND = 3_000;
const size = (value: unknown) => JSON.stringify(value).length + 1;

/** The report as data, people by their ids; their names stand beside it. */
export const json: AnswerFormat = {
  room: ANSWER_CHARACTERS - AROUND,
  headTakes: size,
  figuresTake: size,
  sectionTakes: ({ name, note }) => size([name, note]) + 30,
  rowTakes: (_section, row) => size(row),
  personTakes: ([key, name]) => size(key) + size(name),
  write: (head, page) => ({
    data: dataOf(page),
    people: Object.fromEntries(page.people),
    ...leftOut(page),
    ...cutRows(head, page),
  }),
};

function dataOf({ figures, parts, continued }: Page): object {
  const sections = parts.map(({ section: { name, note }, rows }) => ({ name, ...(note ? { note } : {}), rows }));
  return { ...(continued ? {} : { figures }), sections };
}

/** Says of a page that the digest cannot be worked out of it, as it does not have its rows whole, and where they are so. */
export function cutRows(
  { organization, type, position }: Head,
  { truncated }: Page,
): { truncated?: true; whole?: string } {
  if (!truncated) return {};
  const path = `/api/v1/organizations/${organization.id}/reports/${type}?as_of=${position}`;
  return { truncated, whole: `Rows that say truncated are cut: GET ${path}, with the other inputs, has them whole.` };
}

/** How many rows come after this page, by section. */
export function leftOut({ parts }: Page): { left_out?: Record<string, number> } {
  const left = parts.filter((part) => part.left > 0).map(({ section, left }) => [section.name, left] as const);
  return left.length === 0 ? {} : { left_out: Object.fromEntries(left) };
}
