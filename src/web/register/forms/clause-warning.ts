import { readRecordPage } from '../../../queries/lists/list-records.ts';
import type { RecordDetails } from '../../../queries/records/record-details.ts';
import { ANNEX_NUMBER, CONTROL } from '../../../register/control.ts';
import { FRAMEWORK } from '../../../register/framework.ts';
import type { WebContext } from '../../server/context.ts';
import { REGISTER_LISTS } from '../register-lists.ts';
import type { FormView } from './open-form.ts';

/**
 * Returns the warning before a clause of a management-system standard is excluded. Only controls of the standard's Annex A
 * are optional. Returns null for such a control, and for a framework without an Annex A.
 */
export async function clauseWarning(
  { reader }: Pick<WebContext, 'reader'>,
  { caller, organization }: FormView,
  { record, linked }: Pick<RecordDetails, 'record' | 'linked'>,
): Promise<string | null> {
  const { section_title, framework_id } = record;
  if (ANNEX_NUMBER.test(String(section_title))) return null;
  const { query, tool } = REGISTER_LISTS.get(CONTROL.plural)!;
  // In natural order, A.8.34 comes after all clauses.
  const { records } = await readRecordPage(reader, query, tool, caller, {
    organization_id: organization.id,
    filter: { framework_id: [String(framework_id)], include_archived: true },
    order_by: { field: 'section_title', direction: 'DESC' },
    size: 1,
    view: 'SUMMARY',
  });
  if (!records.some((last) => ANNEX_NUMBER.test(String(last.section_title)))) return null;
  const standard = linked.records.find(({ type }) => type === FRAMEWORK.type)?.name ?? 'the standard';
  return `${section_title} is a clause of ${standard}, not a control of its Annex A. Clauses are not optional: an organization that excludes one can’t claim to conform to the standard.`;
}
