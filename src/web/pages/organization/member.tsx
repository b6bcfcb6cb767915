import { z } from 'zod';
import { ROLES } from '../../../commands/organization/caller.ts';
import { notFound } from '../../../http/http-errors.ts';
import type { Account } from '../../../identity/accounts/account.ts';
import type { Member } from '../../../identity/memberships/members.ts';
import { ACCESS_END_FIELDS, AccessEndField, EndTime } from '../../components/access-end.tsx';
import { Timestamp } from '../../components/components.tsx';
import { FormError, SelectField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { REASON_FIELDS, ReasonField } from '../../components/reason-field.tsx';
import { secretLinkPage } from '../../components/secret-link-page.tsx';
import {
  countOwnedRecords,
  type OwnedCount,
  OwnedRecords,
  ownedTotalText,
  stillOwnedText,
} from '../../register/owned-records.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, singleField } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../../server/require-membership.ts';
import { formFromQuery } from '../../server/require-reauthentication.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { roleChoices, roleName } from '../../texts/role-labels.ts';

type Collaborators = Pick<WebContext, 'baseUrl' | 'people' | 'members' | 'reader'>;

const MEMBER = '/organizations/:id/members/:account';
const ROLE_FIELDS = { role: singleField(z.enum(ROLES, 'Choose a role.')), ...REASON_FIELDS };
const ACCESS_FIELDS = { ...ACCESS_END_FIELDS, ...REASON_FIELDS };
const REMOVAL_FIELDS = REASON_FIELDS;
/** The fields that keep their input. */
const FIELD_NAMES = Object.keys({ ...ROLE_FIELDS, ...ACCESS_FIELDS });

type FormName = 'ROLE' | 'ACCESS' | 'REMOVAL' | 'LINK' | 'SESSIONS';

/** A member's page for owners: change the role, create a sign-in link, sign the member out, or remove the member. */
export const memberPage = (context: Collaborators): Route[] => [
  get(MEMBER, async (request) => {
    const { query } = request;
    const formName = query.has('role') ? 'ROLE' : query.has('until') ? 'ACCESS' : 'REMOVAL';
    return page(await findMember(context, request), formName, formFromQuery(request, FIELD_NAMES));
  }),
  post(`${MEMBER}/role`, async (request) => {
    const details = await findMember(context, request);
    const { organization, path, actor, member } = details;
    const { result, form } = await submitForm(request.formValues, ROLE_FIELDS, async ({ role, reason }) => {
      await context.members.changeRole(organization.id, member.account_id, role, actor, reason);
      return role;
    });
    if (form !== null) return page(details, 'ROLE', form);
    return redirect(`${path}/members`, `${member.name} now has the role ${roleName(result)}.`);
  }),
  post(`${MEMBER}/access`, async (request) => {
    const details = await findMember(context, request);
    const { organization, path, actor, member } = details;
    const { form } = await submitForm(request.formValues, ACCESS_FIELDS, ({ until, reason }) =>
      context.members.changeEnd(organization.id, member.account_id, until, actor, reason),
    );
    if (form !== null) return page(details, 'ACCESS', form);
    return redirect(`${path}/members`, `The access of ${member.name} is changed.`);
  }),
  post(`${MEMBER}/link`, async (request) => {
    const details = await findMember(context, request);
    const { result, form } = await submitForm(request.formValues, {}, () =>
      context.people.accountLinks.create(details.member.account_id, request.person.account.id, request.clientInfo),
    );
    if (form !== null) return page(details, 'LINK', form);
    const about = (
      <>
        {details.member.name} opens it to choose {result.record.kind === 'SETUP' && 'an e-mail address and '}a password.
        It works once, until <Timestamp at={result.record.expires_at} />.
      </>
    );
    const url = `${context.baseUrl}/welcome?key=${result.secret}`;
    return secretLinkPage(details, { id: 'account-link', url, about });
  }),
  post(`${MEMBER}/sessions/end`, async (request) => {
    const details = await findMember(context, request);
    const { organization, memberPath, actor, member } = details;
    if (member.ended)
      throw notFound(`The access of ${member.name} has ended, so no session reaches this organization.`);
    const by = { organization_id: organization.id, actor_id: actor.actor_id };
    const { form } = await submitForm(request.formValues, {}, () =>
      context.people.signIn.signOutMember(member.account_id, by, request.clientInfo),
    );
    if (form !== null) return page(details, 'SESSIONS', form);
    return redirect(memberPath, `${member.name} is signed out in all browsers.`);
  }),
  post(`${MEMBER}/remove`, async (request) => {
    const details = await findMember(context, request);
    const { organization, path, actor, member } = details;
    const { form } = await submitForm(request.formValues, REMOVAL_FIELDS, ({ reason }) =>
      context.members.remove(organization.id, member.account_id, actor, reason),
    );
    if (form !== null) return page(details, 'REMOVAL', form);
    if (details.isSelf) return redirect('/organizations', `You left ${organization.name}.`);
    const done = `${member.name} is no longer a member.`;
    if (details.owned.length === 0) return redirect(`${path}/members`, done);
    return redirect(`${details.memberPath}/hand-over`, `${done} ${stillOwnedText(details.owned)}`);
  }),
];

type MemberDetails = MembershipContext & {
  member: Member;
  memberPath: string;
  isOnlyOwner: boolean;
  /** True for the page of the owner who looks at it. */
  isSelf: boolean;
  account: Account;
  owned: readonly OwnedCount[];
  /** Why an owner can't create a link for them; null if one can. */
  linkObstacle: string | null;
  /** Why their ended access can't be prolonged; null if it can. */
  prolongingObstacle: string | null;
};

async function findMember(context: Collaborators, request: SignedInRequest): Promise<MemberDetails> {
  const place = `/members/${encodeURIComponent(request.params.account ?? '')}`;
  const membership = await requireMembership(context, request, 'changeMembers', { page: place, fields: FIELD_NAMES });
  const members = await context.members.membersOf(membership.organization.id);
  const member = members.find(({ account_id }) => account_id === request.params.account);
  const account = member && (await context.people.accounts.get(member.account_id));
  if (!member || !account) throw notFound('No such member. Choose one from the list of members.');
  const self = request.person.account.id;
  const caller = await context.members.callerOf(self);
  return {
    ...membership,
    member,
    account,
    memberPath: `${membership.path}/members/${member.account_id}`,
    isOnlyOwner: member.role === 'OWNER' && members.filter(({ role }) => role === 'OWNER').length === 1,
    isSelf: member.account_id === self,
    owned: await countOwnedRecords(context.reader, caller, membership.organization.id, member.account_id),
    linkObstacle: await context.people.accountLinks.refusalReason(account, self),
    prolongingObstacle: await context.members.prolongingObstacle(member.account_id, member.until),
  };
}

/** @param formName the form whose state `form` is */
function page(details: MemberDetails, formName: FormName, form: FormState): WebPage {
  const { organization, path, member, isOnlyOwner, isSelf } = details;
  const formFor = (name: FormName) => (formName === name ? form : BLANK_FORM);
  return {
    title: member.name,
    section: `${path}/members`,
    organization,
    form,
    body: (
      <>
        <p>
          {roleName(member.role)} of {organization.name}. <a href={`${path}/members`}>All members</a>
        </p>
        {isOnlyOwner ? (
          <section class="card">
            <FormError form={formName === 'LINK' ? BLANK_FORM : form} />
            <p>
              {member.name} is the only owner of {organization.name}. To change the role or remove {member.name}, give
              another member the role Owner first.
            </p>
          </section>
        ) : (
          <RoleCard details={details} form={formFor('ROLE')} />
        )}
        {member.role !== 'OWNER' && <AccessCard details={details} form={formFor('ACCESS')} />}
        {!member.ended && <LinkCard details={details} form={formFor('LINK')} />}
        {!member.ended && !isSelf && <SessionsCard details={details} form={formFor('SESSIONS')} />}
        {!isOnlyOwner && <RemovalCard details={details} form={formFor('REMOVAL')} />}
      </>
    ),
  };
}

interface CardProps {
  details: MemberDetails;
  form: FormState;
}

function RoleCard({ details: { memberPath, member }, form }: CardProps) {
  return (
    <section class="card" aria-labelledby="role-title">
      <h2 id="role-title">Role</h2>
      <Form action={`${memberPath}/role`}>
        <FormError form={form} ids={{ reason: 'role-reason' }} />
        <SelectField form={form} name="role" label="Role" choices={roleChoices('OWNER')} value={member.role} />
        <p class="muted">
          After a higher role, the member connects assistants again: an assistant keeps its list of tools.
        </p>
        <ReasonField form={form} id="role-reason" />
        <button type="submit">Change role</button>
      </Form>
    </section>
  );
}

function AccessCard({ details: { memberPath, member, prolongingObstacle }, form }: CardProps) {
  if (prolongingObstacle !== null) {
    return (
      <section class="card" aria-labelledby="access-title">
        <h2 id="access-title">Access</h2>
        <FormError form={form} />
        <p>{prolongingObstacle}</p>
      </section>
    );
  }
  return (
    <section class="card" aria-labelledby="access-title">
      <h2 id="access-title">Access</h2>
      <Form action={`${memberPath}/access`}>
        <FormError form={form} ids={{ reason: 'access-reason' }} />
        {member.until !== null && member.ended && (
          <p>
            The access of {member.name} ended <EndTime at={member.until} />. With a later day they have access again,
            but need new tokens.
          </p>
        )}
        <AccessEndField form={form} until={member.until} />
        <ReasonField form={form} id="access-reason" />
        <button type="submit">Change access</button>
      </Form>
    </section>
  );
}

function LinkCard({ details: { memberPath, member, account, linkObstacle }, form }: CardProps) {
  const isSetUp = account.email !== null;
  return (
    <section class="card" aria-labelledby="link-title">
      <h2 id="link-title">{isSetUp ? 'Forgotten password' : 'First sign-in'}</h2>
      {linkObstacle !== null ? (
        <>
          <FormError form={form} />
          <p>{linkObstacle}</p>
        </>
      ) : (
        <Form action={`${memberPath}/link`}>
          <FormError form={form} />
          {isSetUp ? (
            <p>
              Create a link with which {member.name} can choose a new password. It works once, for an hour, and signs
              them out everywhere else. A second factor is still required.
            </p>
          ) : (
            <p>
              This person has no sign-in yet. Create a link for them: with it they choose an e-mail address and a
              password. It works once, for a day.
            </p>
          )}
          <p>No e-mail is sent: you pass it on yourself. The access log records that you created it.</p>
          <button type="submit">Create a link</button>
        </Form>
      )}
    </section>
  );
}

function SessionsCard({ details: { memberPath, member }, form }: CardProps) {
  return (
    <section class="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Sessions</h2>
      <Form action={`${memberPath}/sessions/end`}>
        <FormError form={form} />
        <p>
          Signs {member.name} out in all browsers, for example after a laptop was lost. They can sign in again, and
          their tokens and assistants keep working. The access log records it.
        </p>
        <button type="submit" class="danger">
          Sign out {member.name}
        </button>
      </Form>
    </section>
  );
}

function RemovalCard({ details: { memberPath, member, organization, owned }, form }: CardProps) {
  return (
    <section class="card" aria-labelledby="removal-title">
      <h2 id="removal-title">Remove</h2>
      {owned.length > 0 && (
        <>
          <p>
            {member.name} owns {ownedTotalText(owned)}, and stays their owner after the removal.{' '}
            <a href={`${memberPath}/hand-over`}>Hand them over first</a>
          </p>
          <OwnedRecords owned={owned} organizationId={organization.id} account={member.account_id} />
        </>
      )}
      <p>
        {member.name} loses access to {organization.name} immediately, and so do their tokens and assistants. Their
        changes stay in the history.
      </p>
      <Form action={`${memberPath}/remove`}>
        <FormError form={form} ids={{ reason: 'removal-reason' }} />
        <ReasonField form={form} id="removal-reason" />
        <button type="submit" class="danger">
          Remove {member.name}
        </button>
      </Form>
    </section>
  );
}
