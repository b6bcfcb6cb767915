import { Refusal } from '../commands/engine/refusal.ts';
import type { Caller } from '../commands/organization/caller.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import type { DownloadDetails } from '../queries/files/download-details.ts';
import { type PinnedMoment, pinnedMoment } from '../queries/moments/moment.ts';
import type { Snapshot } from '../queries/moments/snapshot.ts';
import { REPORT_INPUTS, type ReportContext, type ReportInputName, type ReportType } from './report-type.ts';
import { REPORTS, type ReportRequest } from './report-types.ts';

export type ReportFileRequest = Omit<ReportRequest, 'format' | 'cursor'>;

/** The callbacks and the signal of one call. */
export interface ReportCall {
  /** Called with the report that was generated, for the access log. */
  onGenerated(report: DownloadDetails): void;
  /** Receives the number of records read so far. The total isn't known. */
  progress?: ((records: number) => void) | undefined;
  /** Stops reading and writing when it is aborted. */
  signal?: AbortSignal | undefined;
}

/** @throws Refusal for a caller without access, and for inputs that the type does not accept */
export function checkRequest(caller: Caller, input: ReportFileRequest): void {
  requirePermission(caller, input.organization_id, 'generateReports');
  checkInputs(input.type, REPORTS[input.type], input);
}

/** Resolves the position and the day that the report shows. */
export async function reportMoment(snapshot: Snapshot, input: ReportFileRequest): Promise<PinnedMoment> {
  const { organization_id, type, as_of } = input;
  const momentOfType = REPORTS[type].moment;
  return momentOfType ? momentOfType(snapshot, organization_id, input) : pinnedMoment(snapshot, organization_id, as_of);
}

export function reportContext(
  snapshot: Snapshot,
  caller: Caller,
  input: ReportFileRequest,
  moment: PinnedMoment,
  { progress, signal }: Pick<ReportCall, 'progress' | 'signal'>,
): ReportContext {
  let records = 0;
  const recordsRead = (count: number): void => {
    records += count;
    progress?.(records);
  };
  const inputs = resolveInputs(caller, input);
  return { snapshot, organizationId: input.organization_id, moment, inputs, recordsRead, signal };
}

/** Refuses inputs that the type does not use: a caller would believe that they had an effect. */
function checkInputs(
  name: string,
  { acceptedInputs, requiredInputs = {} }: ReportType,
  input: ReportFileRequest,
): void {
  for (const field of REPORT_INPUTS) {
    const isPresent = input[field] !== undefined;
    if (isPresent && !acceptedInputs.includes(field)) {
      const message = `${name} does not accept ${field}. Leave it out, or choose another type.`;
      throw new Refusal('invalid_input', message, { field, allowed: [...acceptedInputs, 'as_of', 'format', 'cursor'] });
    }
    if (!isPresent && field in requiredInputs) {
      throw new Refusal('invalid_input', `${field} is missing. Give ${requiredInputs[field]}.`, { field });
    }
  }
}

function resolveInputs(caller: Caller, input: ReportFileRequest): ReportContext['inputs'] {
  const inputs: Partial<Record<ReportInputName, string>> = {};
  for (const field of REPORT_INPUTS) {
    const value = input[field];
    if (value !== undefined) inputs[field] = value === 'ME' ? caller.account_id : value;
  }
  return inputs;
}
