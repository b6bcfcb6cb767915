import { z } from 'zod';
import { ROLES } from '../../../commands/organization/caller.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import type { OneTimeLink } from '../../../identity/accounts/one-time-links.ts';
import type { Member } from '../../../identity/memberships/members.ts';
import { ACCESS_END_FIELDS, AccessEnd, AccessEndField, EndTime } from '../../components/access-end.tsx';
import { LongDay, Table } from '../../components/components.tsx';
import { FormError, SelectField, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { secretLinkPage } from '../../components/secret-link-page.tsx';
import { countRecordsOfFormerMembers } from '../../register/owned-records.tsx';
import type { WebContext } from '../../server/context.ts';
import { type FormState, hiddenField, singleField } from '../../server/form-state.ts';
import { get, post, type Route, type SignedInRequest } from '../../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../../server/require-membership.ts';
import { formFromQuery } from '../../server/require-reauthentication.ts';
import { submitAndRedirect, submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { countText } from '../../texts/counts.ts';
import { roleChoices, roleName } from '../../texts/role-labels.ts';
import { DOMAIN_FORM_FIELDS, DomainsPart } from './domains.tsx';

type Collaborators = Pick<WebContext, 'baseUrl' | 'people' | 'members' | 'openId' | 'reader' | 'readNames'>;

const MEMBERS = '/organizations/:id/members';
const MAX_NOTE_LENGTH = 200;

const INVITATION_FIELDS = {
  role: singleField(z.enum(ROLES, 'Choose a role.')),
  ...ACCESS_END_FIELDS,
  note: singleField(z.string().trim().max(MAX_NOTE_LENGTH, `Use at most ${MAX_NOTE_LENGTH} characters.`)),
};
const FORM = { page: '/members', fields: Object.keys(INVITATION_FIELDS) };
const WITHDRAW_FIELDS = { invitation: hiddenField() };

/** The members and open invitations. Owners can change both. */
export const membersPage = (context: Collaborators): Route[] => {
  const { links } = context.people;
  return [
    get(MEMBERS, async (request) =>
      page(context, request, await requireMembership(context, request), formFromQuery(request, FORM.fields)),
    ),
    post(`${MEMBERS}/invite`, async (request) => {
      const membership = await requireMembership(context, request, 'changeMembers', FORM);
      const { organization, actor } = membership;
      const by = { organization_id: organization.id, made_by: request.person.account.id };
      const { result, form } = await submitForm(request.formValues, INVITATION_FIELDS, async (value) => {
        await context.members.checkInvitation(organization.id, value.role, value.until, actor);
        return links.create({ kind: 'INVITATION', ...by, ...value }, request.clientInfo);
      });
      if (form !== null) return page(context, request, membership, form);
      const { note, role, until, expires_at } = result.record;
      const about = (
        <>
          <b>
            {roleName(role!)} link{note && ` for ${note}`}.
          </b>{' '}
          The person who opens it becomes {roleName(role!)} of {organization.name}. It works once, until{' '}
          <LongDay at={expires_at} />.
          {until && (
            <>
              {' '}
              Their access ends on <EndTime at={until} />.
            </>
          )}
        </>
      );
      const url = `${context.baseUrl}/welcome?key=${result.secret}`;
      return secretLinkPage(membership, { id: 'invitation', url, about });
    }),
    post(`${MEMBERS}/withdraw`, async (request) => {
      const { organization, path, actor } = await requireMembership(context, request, 'changeMembers', FORM);
      const result = 'Invitation withdrawn. Its link no longer works.';
      return submitAndRedirect(`${path}/members`, result, request.formValues, WITHDRAW_FIELDS, ({ invitation }) =>
        links.revoke(organization.id, invitation, actor.actor_id, request.clientInfo),
      );
    }),
  ];
};

async function page(
  context: Collaborators,
  request: SignedInRequest,
  membership: MembershipContext,
  form: FormState,
): Promise<WebPage> {
  const { people, members, openId } = context;
  const { organization, path, actor } = membership;
  const mayChange = roleAllows(actor.role, 'changeMembers');
  const memberList = await members.membersOf(organization.id);
  const emails = mayChange ? await emailsOf(context, memberList) : new Map<string, string>();
  const formerOwners = roleAllows(actor.role, 'changeRecords')
    ? await readFormerOwners(context, request, organization.id)
    : [];
  const links = mayChange ? await people.links.list(organization.id) : [];
  const domains = mayChange && openId !== null ? await members.domains.list(organization.id) : null;
  return {
    title: 'Members',
    section: `${path}/members`,
    organization,
    form,
    body: (
      <>
        <MemberTable
          members={memberList}
          emails={emails}
          self={request.person.account.id}
          path={mayChange ? path : null}
        />
        {!mayChange && <p class="muted">Owners invite, change and remove members.</p>}
        {formerOwners.length > 0 && <FormerOwnerTable owners={formerOwners} path={path} />}
        {links.length > 0 && <InvitationTable links={links} members={memberList} path={path} />}
        {mayChange && <InviteCard path={path} form={form} />}
        {domains !== null && (
          <DomainsPart
            path={path}
            domains={domains}
            vouched={request.person.account.vouched_domain}
            form={formFromQuery(request, DOMAIN_FORM_FIELDS)}
          />
        )}
      </>
    ),
  };
}

/** A person who has left and still owns records. */
interface FormerOwner {
  account: string;
  name: string;
  records: number;
}

/** Reads the people who have left and still own records, those with most records first. */
async function readFormerOwners(
  { reader, members, readNames }: Collaborators,
  { person }: SignedInRequest,
  organizationId: string,
): Promise<FormerOwner[]> {
  const caller = await members.callerOf(person.account.id);
  const totals = await countRecordsOfFormerMembers(reader, caller, organizationId);
  const names = await readNames(organizationId, totals.keys());
  const owners = [...totals].map(([account, records]) => ({ account, name: names.of(account), records }));
  return owners.sort((a, b) => b.records - a.records || a.name.localeCompare(b.name));
}

function FormerOwnerTable({ owners, path }: { owners: readonly FormerOwner[]; path: string }) {
  return (
    <Table
      caption="Former members who still own records"
      head={['Name', 'Records', 'Hand over']}
      rows={owners.map(({ account, name, records }) => ({
        key: account,
        cells: [
          name,
          countText(records),
          <a
            key="hand-over"
            href={`${path}/members/${account}/hand-over`}
            aria-label={`Hand over the records of ${name}`}
          >
            Hand over
          </a>,
        ],
      }))}
    />
  );
}

/** Returns e-mail addresses by account id. Owners need them to tell people of one name apart. */
async function emailsOf({ people }: Collaborators, members: readonly Member[]): Promise<Map<string, string>> {
  const accounts = await Promise.all(members.map(({ account_id }) => people.accounts.get(account_id)));
  return new Map(accounts.flatMap((account) => (account?.email ? [[account.id, account.email] as const] : [])));
}

/** @param props.path the organization's path; null if the person may not change members */
function MemberTable(props: {
  members: readonly Member[];
  emails: ReadonlyMap<string, string>;
  self: string;
  path: string | null;
}) {
  const { members, emails, self, path } = props;
  const hasEnds = members.some(({ until }) => until !== null);
  const rows = members.map(({ account_id, name, role, until, ended }) => ({
    key: account_id,
    cells: [
      <>
        {name} {account_id === self && <span class="badge">You</span>}
      </>,
      roleName(role),
      ...(hasEnds ? [<AccessEnd key="access" until={until} ended={ended} />] : []),
      ...(path === null
        ? []
        : [
            <span key="email" class="long">
              {emails.get(account_id) ?? 'none'}
            </span>,
            <a key="change" href={`${path}/members/${account_id}`} aria-label={`Change ${name}`}>
              Change
            </a>,
          ]),
    ],
  }));
  const head = ['Name', 'Role', ...(hasEnds ? ['Access'] : []), ...(path === null ? [] : ['E-mail', 'Change'])];
  const current = members.filter(({ ended }) => !ended).length;
  const endedText = current === members.length ? '' : `, ${members.length - current} ended`;
  return <Table caption={`${current === 1 ? '1 member' : `${current} members`}${endedText}`} head={head} rows={rows} />;
}

function InvitationTable(props: { links: readonly OneTimeLink[]; members: readonly Member[]; path: string }) {
  const { links, members, path } = props;
  const makers = new Map(members.map(({ account_id, name }) => [account_id, name]));
  const hasEnds = links.some(({ until = null }) => until !== null);
  const rows = links.map(({ id, note, role, until = null, made_by, expires_at, account_id }) => ({
    key: id,
    cells: [
      <>
        {note || <span class="muted">no note</span>}
        {account_id !== null && <UsedUp />}
      </>,
      role === null ? '' : roleName(role),
      ...(hasEnds ? [<AccessEnd key="access" until={until} />] : []),
      makers.get(made_by) ?? <span class="muted">former member</span>,
      <LongDay key="expires" at={expires_at} />,
      <Form key="withdraw" action={`${path}/members/withdraw`}>
        <input type="hidden" name="invitation" value={id} />
        <button type="submit" class="danger" aria-label={`Withdraw the invitation ${note}`}>
          Withdraw
        </button>
      </Form>,
    ],
  }));
  const head = ['For', 'Role', ...(hasEnds ? ['Access'] : []), 'Invited by', 'Expires', 'Withdraw'];
  return <Table caption="Open invitations" head={head} rows={rows} />;
}

/** Says that an invitation works for one existing account only, whose address somebody entered. */
function UsedUp() {
  return (
    <>
      {' '}
      <span class="badge">Used up</span>{' '}
      <small class="long">
        Somebody entered the address of an existing account, so only that account can accept it. For another person,
        create a new link.
      </small>
    </>
  );
}

function InviteCard({ path, form }: { path: string; form: FormState }) {
  return (
    <section class="card" aria-labelledby="invite-title">
      <h2 id="invite-title">Invite a person</h2>
      <Form action={`${path}/members/invite`}>
        <FormError form={form} />
        <p>You get a link that works once, for a few days. No e-mail is sent: you pass it on yourself.</p>
        <TextField
          form={form}
          name="note"
          label="For whom"
          hint="Shown in the list of invitations, so that you can tell them apart."
          maxLength={MAX_NOTE_LENGTH}
          required={false}
        />
        <SelectField form={form} name="role" label="Role" choices={roleChoices('OWNER')} prompt="Choose a role" />
        <AccessEndField form={form} />
        <button type="submit">Create link</button>
      </Form>
    </section>
  );
}
