import { createHash } from 'node:crypto';
import { canonical } from '../../trail/canonical.ts';
import type { Figure, ReportRow } from '../report-type.ts';
import type { ConstantHead } from './report-page.ts';

/** Text is hashed in chunks of at least this many characters. */
const HASH_CHUNK_LENGTH = 32_768;

/**
 * Hashes a report's data: inputs, moment, figures and every row. Titles, labels and notes are wording, which may change.
 * The data of `report_version` 1 must never change: auditors compare digests years later.
 *
 * The digest is the SHA-256 of the data's canonical JSON (RFC 8785), which has names in alphabetical order. The text is
 * written as the rows come, so that a long report is never in memory as a whole.
 */
export class ReportDigest {
  private readonly hash = createHash('sha256');
  private text: string;
  private readonly end: string;
  private separator = '';

  constructor(head: ConstantHead, figures: readonly Figure[]) {
    const { report_version, type, organization, inputs, as_of, position, today } = head;
    const figureData = figures.map(({ name, kind, value, change }) => ({ name, kind, value, change }));
    this.text = `{"as_of":${canonical(as_of)},"data":{"figures":${canonical(figureData)},"sections":[`;
    this.end = `]},${canonical({ inputs, organization, position, report_version, today, type }).slice(1)}`;
  }

  beginSection(name: string): void {
    this.text += `${this.separator}{"name":${canonical(name)},"rows":[`;
    this.separator = '';
  }

  addRow(row: ReportRow): void {
    this.text += `${this.separator}${canonical(row)}`;
    this.separator = ',';
    if (this.text.length < HASH_CHUNK_LENGTH) return;
    this.hash.update(this.text);
    this.text = '';
  }

  endSection(): void {
    this.text += ']}';
    this.separator = ',';
  }

  /** Returns the digest in hexadecimal digits. */
  finish(): string {
    return this.hash.update(this.text + this.end).digest('hex');
  }
}
