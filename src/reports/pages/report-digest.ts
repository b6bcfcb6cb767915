import { createHash, type Hash } from 'node:crypto';
import { canonical } from '../../trail/canonical.ts';
import type { Figure, ReportSection } from '../report-type.ts';
import type { ConstantHead } from './report-page.ts';
import type { ReportPaginator } from './report-paginator.ts';

/** Text is hashed in chunks of at least this many characters. */
const HASH_CHUNK_LENGTH = 32_768;

/**
 * Hashes the report's data: inputs, moment, figures and every row. Titles, labels and notes are wording, which may
 * change. The data of `report_version` 1 must never change: auditors compare digests years later.
 */
export function reportDigest(
  { report_version, type, organization, inputs, as_of, position, today }: ConstantHead,
  figures: readonly Figure[],
  sections: readonly ReportSection[],
  paginator: ReportPaginator,
): Promise<string> {
  const data = {
    figures: figures.map(({ name, kind, value, change }) => ({ name, kind, value, change })),
    sections: sections.map((section) => ({ name: section.name, rows: paginator.rowsOf(section) })),
  };
  return digestOfJson({ report_version, type, organization, inputs, as_of, position, today, data });
}

/**
 * Returns the SHA-256 of a value's canonical JSON (RFC 8785) in hexadecimal digits, as trail/canonical.ts writes it.
 * An array may be an async iterable, so a long one is never in memory as a whole.
 */
async function digestOfJson(value: unknown): Promise<string> {
  const hash = createHash('sha256');
  await feed(hash, value);
  return hash.digest('hex');
}

async function feed(hash: Hash, value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null) return void hash.update(canonical(value));
  if (Symbol.asyncIterator in value) {
    let text = '[';
    let first = true;
    for await (const item of value as AsyncIterable<unknown>) {
      text += first ? canonical(item) : `,${canonical(item)}`;
      first = false;
      if (text.length < HASH_CHUNK_LENGTH) continue;
      hash.update(text);
      text = '';
    }
    return void hash.update(`${text}]`);
  }
  if (Array.isArray(value)) {
    hash.update('[');
    for (const [index, item] of (value as unknown[]).entries()) {
      if (index > 0) hash.update(',');
      await feed(hash, item);
    }
    return void hash.update(']');
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  // RFC 8785 sorts names by UTF-16 code units, as `<` compares strings.
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  hash.update('{');
  for (const [index, [name, member]] of members.entries()) {
    hash.update(`${index > 0 ? ',' : ''}${canonical(name)}:`);
    await feed(hash, member);
  }
  hash.update('}');
}
