import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { type Permission, roleAllows } from '../../../commands/organization/permissions.ts';
import { familyQueryOfType } from '../../../queries/family-query.ts';
import { countMatches, matchRecords } from '../../../queries/lists/match-records.ts';
import { currentMoment } from '../../../queries/moments/moment.ts';
import type { FamilyName } from '../../../register/families.ts';
import type { WebContext } from '../../server/context.ts';
import { StateChip } from '../field-content.tsx';
import type { RegisterView } from '../open-register.ts';
import { ORDERED_FAMILIES } from '../rail-links.ts';

/** Something that a new organization does once. */
export interface FirstStep {
  title: string;
  href: string;
  permission: Permission;
  isDone: boolean;
}

export type FirstStepsCollaborators = Pick<WebContext, 'members'> & {
  people: { links: Pick<WebContext['people']['links'], 'list'> };
  oauth: Pick<WebContext['oauth'], 'assistantsOf'>;
};

/**
 * Returns the first steps of a new organization that the reader's role may make. None once all are done. An organization
 * with a completed audit is not new.
 */
export async function readFirstSteps(
  context: FirstStepsCollaborators,
  view: RegisterView,
): Promise<readonly FirstStep[]> {
  const { organization, past, audits } = view;
  if (past !== null || audits.length > 0 || !roleAllows(organization.role, 'changeRecords')) return [];
  const steps = (await readSteps(context, view)).filter(({ permission }) => roleAllows(organization.role, permission));
  return steps.every(({ isDone }) => isDone) ? [] : steps;
}

async function readSteps(context: FirstStepsCollaborators, view: RegisterView): Promise<FirstStep[]> {
  const { organization, snapshot, caller } = view;
  const reads = { snapshot, organizationId: organization.id, moment: currentMoment(snapshot) };
  const [members, invitations, assistants] = await Promise.all([
    context.members.membersOf(organization.id),
    context.people.links.list(organization.id),
    context.oauth.assistantsOf(caller.account_id),
  ]);
  const exists = async (type: FamilyName, filter: Record<string, unknown>) =>
    (await matchRecords(reads, familyQueryOfType(type), caller, filter, 1)).length > 0;
  const count = (type: FamilyName, filter: Record<string, unknown>) =>
    countMatches(reads, familyQueryOfType(type), caller, filter);
  const owners = members.map(({ account_id }) => account_id);
  const owned = await Promise.all(ORDERED_FAMILIES.map(({ type }) => exists(type, { owner_id: owners })));
  const measures = await count('MEASURE', {});
  const unlinked = await count('MEASURE', { missing: ['CONTROLS', 'RISKS'] });
  const step = (title: string, page: string, isDone: boolean, permission: Permission = 'changeRecords'): FirstStep => ({
    title,
    href: page.startsWith('/connect') ? page : organizationAddress(organization.id, page),
    permission,
    isDone,
  });
  return [
    step('Adopt a framework', '/frameworks/add', await exists('FRAMEWORK', {}), 'adoptFrameworks'),
    step('Give a record an owner', '/risks', owned.includes(true)),
    step('Link a measure with a control or a risk', '/measures', measures > unlinked),
    step('Connect an assistant', '/connect', assistants.length > 0),
    step('Invite an auditor', '/members', isAuditorInvited(members, invitations), 'changeMembers'),
  ];
}

const isAuditorInvited = (...people: readonly (readonly { role?: string | null }[])[]): boolean =>
  people.flat().some(({ role }) => role === 'AUDITOR');

/** The first steps, of which those that are done have a tick. */
export function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  if (steps.length === 0) return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <p class="sub">
        {done} of {steps.length} are done. This list goes away by itself.
      </p>
      <ul class="plain">
        {steps.map(({ title, href, isDone }) => (
          <li key={title}>
            {isDone ? (
              <StateChip
                tone="done"
                text={
                  <>
                    <span class="for-screen-readers">Done: </span>
                    {title}
                  </>
                }
              />
            ) : (
              <a href={href}>{title}</a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
