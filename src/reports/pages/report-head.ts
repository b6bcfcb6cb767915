import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { historyOf } from '../../projections/read-models/read-model.ts';
import { logTimeOf, versionConditions } from '../../queries/moments/moment.ts';
import { proveEvent } from '../../queries/proofs/proofs.ts';
import type { Verification } from '../../queries/proofs/verify-changes.ts';
import { verifyPeriod } from '../../queries/proofs/verify-listed-changes.ts';
import { REPORTS, type ReportName } from '../all-reports.ts';
import type { ReportContent, ReportContext } from '../report-type.ts';
import type { ConstantHead, ReportHead } from './report-page.ts';

const BEFORE_FIRST_EVENT = {
  label: 'Note',
  value: 'The register was still empty: the organization’s history begins later.',
};

/** Returns the head's members that the digest covers, and their wording. */
export async function readConstantHead(
  context: ReportContext,
  type: ReportName,
  content: ReportContent,
): Promise<ConstantHead> {
  const { snapshot, organizationId, moment } = context;
  const { owner_id } = context.inputs;
  const { title = REPORTS[type].title, inputs, about = [] } = content;
  const [organization] = await snapshot.models.find({
    collection: historyOf('organizations'),
    organizationId,
    // Before the first event it has the name of that event.
    where: versionConditions(Math.max(1, moment.position)),
    order: { key: null, direction: 'ASC' },
    limit: 1,
  });
  return {
    report_version: content.version ?? 1,
    type,
    title: owner_id === undefined ? title : `${title} (records of one owner)`,
    organization: { id: organizationId, name: (organization?.doc.name ?? null) as string | null },
    inputs: { ...(owner_id === undefined ? {} : { owner_id }), ...inputs },
    about: [
      ...about,
      ...(owner_id === undefined ? [] : [{ label: 'Owner', value: owner_id }]),
      ...(moment.position === 0 ? [BEFORE_FIRST_EVENT] : []),
    ],
    as_of: await logTimeOf(snapshot, organizationId, moment.position),
    position: String(moment.position),
    today: moment.today,
  };
}

/**
 * Returns the proof that a seal covers the report's position, or `pending_seal` while none does.
 * @param verify adds the check of the changes
 */
export async function readProof(
  context: ReportContext,
  verify: () => Promise<Verification | null>,
): Promise<Pick<ReportHead, 'proof' | 'pending_seal'>> {
  const { snapshot, organizationId, moment } = context;
  const proof = await proveEvent(snapshot.models, organizationId, moment.position);
  if (proof === null) return { pending_seal: true };
  const verification = await verify();
  return { proof: verification === null ? proof : { ...proof, verification } };
}

/** Compares the changes from the report's first one to its position with the log. Returns null if they are too many. */
export async function verifyReport(
  context: ReportContext,
  caller: Caller,
  { inputs }: ReportContent,
): Promise<Verification | null> {
  const { snapshot, organizationId, moment, signal } = context;
  const period = { from: String(inputs?.from_position ?? 1), to: String(moment.position) };
  try {
    return await verifyPeriod({ snapshot, organizationId, moment, caller, signal }, period);
  } catch (error) {
    // The report is complete without the check, and does not mention it.
    if (error instanceof Refusal && error.code === 'too_large') return null;
    throw error;
  }
}
