/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { ROLES } from '../../commands/caller.ts';
import { may } from '../../commands/roles.ts';
import type { Link } from '../../identity/links.ts';
import type { Member } from '../../identity/members.ts';
import { attempt, doThere } from '../attempt.ts';
import { confirmFirst, inputIn, withInput } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault, SelectField, TextField } from '../fields.tsx';
import { type FormState, hidden, one } from '../forms.ts';
import { handOverPage } from '../hand-over.tsx';
import type { Page } from '../page.ts';
import { Day, Table } from '../pieces.tsx';
import { roleChoices, roleName } from '../roles.ts';
import { get, post, type Route, type SignedInVisit } from '../visit.ts';
import { type Within, within } from '../within.ts';
import { DomainsPart } from './domains.tsx';

const MEMBERS = '/organizations/:id/members';
const MOST_NOTE = 200;

const INVITATION = {
  role: one(z.enum(ROLES, 'Choose a role.')),
  note: one(z.string().trim().max(MOST_NOTE, `Keep the note within ${MOST_NOTE} characters.`)),
};
/** The fields that come back after reauthentication. */
const KEPT = Object.keys(INVITATION);
const WITHDRAWN = { invitation: hidden() };

/** Who is a member, and who is invited. An OWNER changes both. */
export const membersPage = (context: WebContext): Route[] => {
  const { links } = context.people;
  return [
    get(MEMBERS, async (visit) => page(context, visit, await within(context, visit), inputIn(visit.query, KEPT))),
    post(`${MEMBERS}/invite`, async (visit) => {
      const place = await within(context, visit, 'changeMembers');
      confirmFirst(context, visit, withInput(`${place.path}/members`, visit.sent, KEPT));
      const by = { organization_id: place.organization.id, made_by: visit.person.account.id };
      const { done, state } = await attempt(visit.sent, INVITATION, (value) =>
        links.create({ kind: 'INVITATION', ...by, ...value }),
      );
      if (state !== null) return page(context, visit, place, state);
      const about = (
        <>
          Whoever opens it becomes a member of {place.organization.name}. It is good for one person, until{' '}
          <Day at={done.record.expires_at} />.
        </>
      );
      return handOverPage(place, { id: 'invitation', url: `${context.baseUrl}/welcome?key=${done.secret}`, about });
    }),
    post(`${MEMBERS}/withdraw`, async (visit) => {
      const { organization, path, actor } = await within(context, visit, 'changeMembers');
      const done = 'The invitation is withdrawn: its link leads nowhere now.';
      return doThere(`${path}/members`, done, visit.sent, WITHDRAWN, ({ invitation }) =>
        links.withdraw(organization.id, invitation, actor.actor_id),
      );
    }),
  ];
};

async function page(context: WebContext, visit: SignedInVisit, place: Within, form: FormState): Promise<Page> {
  const { people, members, openId } = context;
  const { organization, path, actor } = place;
  const owning = may(actor.role, 'changeMembers');
  const present = await members.membersOf(organization.id);
  const emails = owning ? await emailsOf(context, present) : new Map<string, string>();
  const links = owning ? await people.links.list(organization.id) : [];
  const domains = owning && openId !== null ? await members.domains.of(organization.id) : null;
  return {
    title: 'Members',
    section: `${path}/members`,
    organization,
    form,
    body: (
      <>
        <MemberTable members={present} emails={emails} self={visit.person.account.id} path={owning ? path : null} />
        {!owning && <p class="muted">An owner invites, changes and removes members.</p>}
        {links.length > 0 && <InvitationTable links={links} members={present} path={path} />}
        {owning && <InviteCard path={path} form={form} />}
        {domains !== null && (
          <DomainsPart path={path} domains={domains} vouched={visit.person.account.vouched_domain} />
        )}
      </>
    ),
  };
}

/** E-mail addresses tell people of one name apart: for who changes them. */
async function emailsOf({ people }: WebContext, members: readonly Member[]): Promise<Map<string, string>> {
  const accounts = await Promise.all(members.map(({ account_id }) => people.accounts.get(account_id)));
  return new Map(accounts.flatMap((account) => (account?.email ? [[account.id, account.email] as const] : [])));
}

/** @param props.path of the organization, where members may be changed */
function MemberTable(props: {
  members: readonly Member[];
  emails: ReadonlyMap<string, string>;
  self: string;
  path: string | null;
}) {
  const { members, emails, self, path } = props;
  const rows = members.map(({ account_id, name, role }) => ({
    key: account_id,
    cells: [
      <>
        {name} {account_id === self && <span class="badge">You</span>}
      </>,
      roleName(role),
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
  const head = ['Name', 'Role', ...(path === null ? [] : ['E-mail', 'Change'])];
  return (
    <Table caption={`${members.length === 1 ? '1 member' : `${members.length} members`}`} head={head} rows={rows} />
  );
}

function InvitationTable(props: { links: readonly Link[]; members: readonly Member[]; path: string }) {
  const { links, members, path } = props;
  const makers = new Map(members.map(({ account_id, name }) => [account_id, name]));
  const rows = links.map(({ id, note, role, made_by, expires_at }) => ({
    key: id,
    cells: [
      note || <span class="muted">no note</span>,
      role === null ? '' : roleName(role),
      makers.get(made_by) ?? <span class="muted">former member</span>,
      <Day key="expires" at={expires_at} />,
      <Form key="withdraw" action={`${path}/members/withdraw`}>
        <input type="hidden" name="invitation" value={id} />
        <button type="submit" class="danger" aria-label={`Withdraw the invitation ${note}`}>
          Withdraw
        </button>
      </Form>,
    ],
  }));
  return (
    <Table
      caption="Invitations that nobody took up yet"
      head={['For', 'Role', 'Invited by', 'Good until', 'Withdraw']}
      rows={rows}
    />
  );
}

function InviteCard({ path, form }: { path: string; form: FormState }) {
  return (
    <section class="card" aria-labelledby="invite-title">
      <h2 id="invite-title">Invite somebody</h2>
      <Form action={`${path}/members/invite`}>
        <FormFault form={form} />
        <p>You get a link, good for one person and a few days, and hand it over yourself: no e-mail is sent.</p>
        <TextField
          form={form}
          name="note"
          label="For whom"
          hint="Only shown in the list of invitations, so that you can tell them apart."
          maxLength={MOST_NOTE}
          required={false}
        />
        <SelectField form={form} name="role" label="Role" choices={roleChoices('OWNER')} value="VIEWER" />
        <button type="submit">Make a link</button>
      </Form>
    </section>
  );
}
