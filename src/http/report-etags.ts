import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ReportFile } from '../queries/report/report.ts';
import type { NamesByKey, ReportHead } from '../queries/report/report-page.ts';

/** What a tag is made of, beside the format and the names that people have now. */
interface RenderedReport {
  digest: string;
  /** Keys of the names that stand in it: see ReportPeople. */
  people: readonly string[];
}

type Tagged = Pick<ReportHead, 'digest' | 'pending_seal' | 'incomplete'>;

/** Accounts in all reports that are remembered, and one more for each report. */
const MAX_REMEMBERED_NAMES = 100_000;

/**
 * ETags of report files. What a report says follows from its identity, and is what its digest is of; but names of people,
 * which change when one is erased, are outside the digest, so a tag covers these as well. It is weak, for it does not cover when a
 * report was drawn. Whose names stand in a report is known once it was drawn: that is remembered here, so that who has it is
 * told so without its being drawn again.
 */
export class ReportEtags {
  private readonly rendered = new LRUCache<string, RenderedReport>({
    maxSize: MAX_REMEMBERED_NAMES,
    sizeCalculation: ({ people }) => people.length + 1,
  });

  /** The tag that a report would have now; null where it was not drawn before. */
  async expectedEtag(report: Pick<ReportFile, 'identity' | 'names'>, format: string): Promise<string | null> {
    const rendered = this.rendered.get(report.identity);
    return rendered === undefined ? null : formatEtag(rendered.digest, format, await report.names(rendered.people));
  }

  /** The tag of a report that was just drawn. */
  etagOf(identity: string, format: string, head: Tagged, people: NamesByKey): string {
    const { digest, pending_seal, incomplete } = head;
    // The proof that it has not yet comes without anything else's changing.
    if (pending_seal) return formatEtag(digest, `${format}-pending`, people);
    if (incomplete) return formatEtag(digest, `${format}-incomplete`, people);
    this.rendered.set(identity, { digest, people: [...people.keys()] });
    return formatEtag(digest, format, people);
  }
}

function formatEtag(digest: string, format: string, people: NamesByKey): string {
  const names = createHash('sha256').update(JSON.stringify([...people].sort()));
  return `W/"${digest}-${format}-${names.digest('base64url').slice(0, 10)}"`;
}
