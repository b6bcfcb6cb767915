import type { Caller } from '../../commands/organization/caller.ts';
import type { DownloadDetails } from '../../queries/files/download-details.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import type { ReportHead } from '../../reports/pages/report-page.ts';
import { openReportFile } from '../../reports/report.ts';
import type { ReportFileRequest } from '../../reports/report-request.ts';
import { etagMatches } from '../etag.ts';
import { ReportEtags } from './report-etags.ts';
import { REPORT_FILE_FORMATS } from './report-file-formats.ts';
import type { SpooledFile } from './spooled-files.ts';

/** A request for a whole report. It is plain data, so that another thread can generate the report. */
export interface ReportFileCall {
  caller: Caller;
  input: ReportFileRequest;
  /** The name of a format in `REPORT_FILE_FORMATS`. */
  format: string;
  /** The ETags of the versions that the client has. */
  ifNoneMatch: string;
  /** The address of the register's pages, for links in the report. */
  registerUrl: string;
}

/** A report as a file. */
export interface GeneratedFile extends SpooledFile {
  name: string;
}

/** The answer to a request for a report; without the file if the client has it. */
export interface ReportFileAnswer {
  etag: string;
  file: GeneratedFile | null;
}

export interface ReportFiles {
  /** @throws Refusal for a caller without access, and for wrong inputs; the signal's reason if it is aborted */
  generate(call: ReportFileCall, signal: AbortSignal): Promise<ReportFileAnswer>;
}

/** Small enough to be written in one turn of the event loop. */
const CHUNK_BYTES = 262_144;

/** Generates reports in this thread. */
export class ReportFileGenerator implements ReportFiles {
  private readonly tags: ReportEtags;

  /** @param version of the program: it decides the wording */
  constructor(
    private readonly reader: Reader,
    private readonly onReportGenerated: (caller: Caller, report: DownloadDetails) => void,
    version: string,
  ) {
    this.tags = new ReportEtags(version);
  }

  async generate(call: ReportFileCall, signal: AbortSignal): Promise<ReportFileAnswer> {
    const { caller, input, format: name, ifNoneMatch, registerUrl } = call;
    const format = REPORT_FILE_FORMATS.find((candidate) => candidate.name === name)!;
    const onGenerated = (details: DownloadDetails) => this.onReportGenerated(caller, details);
    const output = { name: name.toUpperCase(), format: format.format };
    const report = await openReportFile(this.reader, caller, input, output, { onGenerated, signal, registerUrl });
    const expectedEtag = await this.tags.expectedEtag(report, name);
    if (expectedEtag !== null && etagMatches(ifNoneMatch, expectedEtag)) return { etag: expectedEtag, file: null };
    const { head, written, people } = await report.generate();
    const etag = this.tags.etagOf(report.identity, name, head, people);
    if (etagMatches(ifNoneMatch, etag)) return { etag, file: null };
    const content = Buffer.from(format.content(head, written));
    return { etag, file: { name: fileName(head, format.extension), size: content.length, chunks: chunksOf(content) } };
  }
}

async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += CHUNK_BYTES) yield content.subarray(start, start + CHUNK_BYTES);
}

/** `Acme Ltd Risk register 2026-11-21 change 1234.pdf` */
function fileName({ organization, title, today, position }: ReportHead, ending: string): string {
  const [name, reportTitle] = [organization.name ?? organization.id, title].map((text) =>
    text.replace(/[^\p{L}\p{N} .-]+/gu, ' ').slice(0, 80),
  );
  return `${name} ${reportTitle} ${today} change ${position}.${ending}`.replace(/\s+/g, ' ').trimStart();
}
