import type { ReportContext, ReportRow } from '../report-type.ts';
import { linkedTo } from './linked-records.ts';
import { pickFields, recordName } from './records.ts';

/**
 * The categories of reasons for including a control. Obligations don't say which of them are laws; only those with a
 * regulator certainly are. STATED: the reason is a text alone, such as good practice.
 */
export const INCLUSION_REASONS = ['LAW', 'LAW_OR_CONTRACT', 'RISK', 'STATED'] as const;
type InclusionReason = (typeof INCLUSION_REASONS)[number];

/** The reasons for a control, and the records that they follow from. */
export interface ReasonsOfControl {
  reasons: readonly InclusionReason[];
  risks: readonly ReportRow[];
  obligations: readonly ReportRow[];
}

/** Returns the reasons for each of these controls. Records linked with a control's measures count as linked with it. */
export async function inclusionReasons(
  context: ReportContext,
  controls: readonly ReportRow[],
): Promise<ReasonsOfControl[]> {
  const idOf = ({ id }: ReportRow) => String(id);
  const linked = await linkedTo(context, controls.map(idOf), ['MEASURE', 'RISK', 'OBLIGATION']);
  const measureIds = [...linked.values()].flat().map(idOf).filter(isMeasureId);
  const linkedWithMeasures = await linkedTo(context, [...new Set(measureIds)], ['RISK', 'OBLIGATION']);
  return controls.map((control) => {
    const direct = linked.get(idOf(control)) ?? [];
    const throughMeasures = direct.flatMap((record) => linkedWithMeasures.get(idOf(record)) ?? []);
    const records = [...new Map([...direct, ...throughMeasures].map((record) => [idOf(record), record])).values()];
    const risks = records.filter((record) => idOf(record).startsWith('rsk_') && record.status !== 'CLOSED');
    const obligations = records.filter((record) => idOf(record).startsWith('obl_'));
    return {
      reasons: control.status === 'INCLUDED' ? reasonsOf(control, risks, obligations) : [],
      risks: risks.map(riskItem),
      obligations: obligations.map(obligationItem),
    };
  });
}

const isMeasureId = (id: string): boolean => id.startsWith('msr_');

/** Returns a risk by its number, or by its name if it has none. */
const riskItem = (risk: ReportRow): ReportRow =>
  pickFields(risk, risk.reference_id ? ['id', 'reference_id'] : ['id', 'name']);

const obligationItem = (obligation: ReportRow): ReportRow => ({
  ...pickFields(obligation, ['id', 'source', 'regulator']),
  name: recordName(obligation),
});

function reasonsOf(
  control: ReportRow,
  risks: readonly ReportRow[],
  obligations: readonly ReportRow[],
): readonly InclusionReason[] {
  const holds: Readonly<Record<InclusionReason, boolean>> = {
    LAW: obligations.some(({ regulator }) => Boolean(regulator)),
    LAW_OR_CONTRACT: obligations.some(({ regulator }) => !regulator),
    RISK: risks.length > 0,
    STATED: risks.length + obligations.length === 0 && Boolean(control.inclusion_justification),
  };
  return INCLUSION_REASONS.filter((reason) => holds[reason]);
}
