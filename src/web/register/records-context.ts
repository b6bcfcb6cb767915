import { pinnedMoment } from '../../queries/moments/moment.ts';
import type { ReportContext } from '../../reports/report-type.ts';
import { asOfInput, type RegisterView } from './open-register.ts';

/** Returns the context with which reports' sections and figures read the moment that a page shows. */
export async function recordsContext(
  view: Pick<RegisterView, 'snapshot' | 'organization' | 'past'>,
  ownerId?: string,
): Promise<ReportContext> {
  const { snapshot, organization, past } = view;
  const organizationId = organization.id;
  const moment =
    past === null
      ? { today: snapshot.today(), position: snapshot.newestPosition(organizationId) }
      : await pinnedMoment(snapshot, organizationId, asOfInput(view).as_of);
  const inputs = ownerId === undefined ? {} : { owner_id: ownerId };
  return { snapshot, organizationId, moment, inputs, readsCurrent: past === null };
}
