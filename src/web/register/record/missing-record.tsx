import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { idPrefix } from '../../../commands/engine/ids.ts';
import { type HttpError, notFound } from '../../../http/http-errors.ts';
import { type RecordDetails, readRecordDetails } from '../../../queries/records/record-details.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { ExactTime, MomentTime } from '../../components/components.tsx';
import { RefusedPage } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';
import { momentAddress } from '../moments/moment-control.tsx';
import { type RegisterCollaborators, type RegisterView, registerAddress } from '../open-register.ts';
import type { PastMoment } from '../page-moment.ts';
import { familyHeading } from '../rail-links.ts';
import { numberedName } from './numbered-name.ts';

/**
 * Returns the error for a record that isn't there at the page's moment. If the reader can open the record today, it is a
 * page that says when the record was added. Any other id gives the same error, whether it exists elsewhere or not.
 */
export async function missingRecord(
  { reader }: RegisterCollaborators,
  view: RegisterView,
  family: FamilyDescription,
  id: string,
): Promise<RefusedPage | HttpError> {
  const { past, caller, organization } = view;
  const input = { id, organization_id: organization.id };
  const isRead = past !== null && idPrefix(id) === family.prefix;
  const today = isRead ? await readRecordDetails(reader, caller, family, input) : null;
  if (past === null || today === null) return notFound('There is no such record here.');
  return new RefusedPage(notAddedYetPage(family, { ...view, past }, today));
}

function notAddedYetPage(
  family: FamilyDescription,
  view: RegisterView & { past: PastMoment },
  { record, name }: RecordDetails,
): WebPage {
  const { organization, past } = view;
  const { reference_id, created_at } = record;
  const heading = familyHeading(family);
  return {
    title: `${numberedName({ reference_id, name })}: not added yet`,
    status: 404,
    section: organizationAddress(organization.id, `/${family.plural}`),
    organization,
    moment: view,
    body: (
      <>
        <p>
          {typeof reference_id === 'string' ? reference_id : `“${name}”`} did not exist on <MomentTime at={past.time} />
          . It was added on <ExactTime at={String(created_at)} />.
        </p>
        <p class="row">
          <a class="button" href={momentAddress(view, null)}>
            Back to today
          </a>
          <a href={registerAddress(view, `/${family.plural}`)}>{heading} at this moment</a>
          <a href={organizationAddress(organization.id, '/compare', { from: past.asOf })}>What changed since</a>
        </p>
      </>
    ),
  };
}
