import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ReportHead } from '../../reports/pages/report-page.ts';
import type { ReportFile } from '../../reports/report.ts';
import type { NamesByKey } from '../../texts/value-text.ts';

/** The inputs of an ETag, besides the format and the current names of people. */
interface RenderedReport {
  digest: string;
  /** Keys of the names in the report: see ReportPeople. */
  people: readonly string[];
}

type Tagged = Pick<ReportHead, 'digest' | 'pending_seal' | 'incomplete'>;

/** Limits the memory: names in all remembered reports, plus one for each report. */
const MAX_REMEMBERED_NAMES = 100_000;

/**
 * ETags of report files. The digest covers a report's data. People's names change, for example when an account is erased,
 * and the wording changes with the program's version. So an ETag covers the digest, the names and the version. It is weak,
 * because it doesn't cover the time of generation.
 *
 * This class remembers which names a generated report contains. Then it can answer 304 without generating it again.
 */
export class ReportEtags {
  private readonly rendered = new LRUCache<string, RenderedReport>({
    maxSize: MAX_REMEMBERED_NAMES,
    sizeCalculation: ({ people }) => people.length + 1,
  });

  /** @param version of the program: it decides the wording */
  constructor(private readonly version: string) {}

  /** Returns the ETag that the report would have now; null if it was not generated before. */
  async expectedEtag(report: Pick<ReportFile, 'identity' | 'names'>, format: string): Promise<string | null> {
    const rendered = this.rendered.get(report.identity);
    return rendered === undefined
      ? null
      : this.formatEtag(rendered.digest, format, await report.names(rendered.people));
  }

  /** Returns the ETag of a report that was just generated. */
  etagOf(identity: string, format: string, head: Tagged, people: NamesByKey): string {
    const { digest, pending_seal, incomplete } = head;
    // The pending seal will arrive without a change of the digest.
    if (pending_seal) return this.formatEtag(digest, `${format}-pending`, people);
    if (incomplete) return this.formatEtag(digest, `${format}-incomplete`, people);
    this.rendered.set(identity, { digest, people: [...people.keys()] });
    return this.formatEtag(digest, format, people);
  }

  private formatEtag(digest: string, format: string, people: NamesByKey): string {
    const names = createHash('sha256').update(JSON.stringify([this.version, ...[...people].sort()]));
    return `W/"${digest}-${format}-${names.digest('base64url').slice(0, 10)}"`;
  }
}
