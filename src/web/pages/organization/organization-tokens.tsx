import type { Permission } from '../../../commands/organization/permissions.ts';
import { notFound } from '../../../http/http-errors.ts';
import type { OrganizationTokenItem } from '../../../identity/tokens/organization-tokens.ts';
import { Facts, LongDay, Table, Timestamp } from '../../components/components.tsx';
import { FormError } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { PageLinks, paginate } from '../../components/paging.tsx';
import { REASON_FIELDS, ReasonField } from '../../components/reason-field.tsx';
import type { WebContext } from '../../server/context.ts';
import type { FormState } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { type MembershipContext, requireMembership } from '../../server/require-membership.ts';
import { formFromQuery } from '../../server/require-reauthentication.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { accessText } from '../../texts/access-text.ts';
import { TOKENS_PATH } from '../account/tokens.tsx';

type Collaborators = Pick<WebContext, 'members' | 'tokens' | 'organizationTokens'>;

const TOKENS = '/organizations/:id/tokens';
const REASON_FIELD_NAMES = Object.keys(REASON_FIELDS);

/** All API tokens and assistants with access to an organization, for its owners and admins. */
export const organizationTokensPage = (context: Collaborators): Route[] => [
  get(TOKENS, async (request) => {
    const membership = await requireMembership(context, request, 'viewTokens');
    return listPage(
      membership,
      await context.organizationTokens.list(membership.organization.id, membership.actor),
      request.query,
    );
  }),
  get(`${TOKENS}/:token`, async (request) =>
    tokenPage(await findToken(context, request, 'viewTokens'), formFromQuery(request, REASON_FIELD_NAMES)),
  ),
  post(`${TOKENS}/:token/take-out`, async (request) => {
    const details = await findToken(context, request, 'revokeTokens');
    const { organization, actor, path, token } = details;
    const { form } = await submitForm(request.formValues, REASON_FIELDS, ({ reason }) =>
      context.tokens.revokeInOrganization(token.id, organization.id, actor, reason),
    );
    if (form !== null) return tokenPage(details, form);
    return redirect(`${path}/tokens`, `${token.name} no longer has access to ${organization.name}.`);
  }),
];

type TokenDetails = MembershipContext & { token: OrganizationTokenItem };

async function findToken(
  context: Collaborators,
  request: SignedInRequest,
  permission: Permission,
): Promise<TokenDetails> {
  const page = `/tokens/${encodeURIComponent(request.params.token ?? '')}`;
  const membership = await requireMembership(context, request, permission, { page, fields: REASON_FIELD_NAMES });
  const tokens = await context.organizationTokens.list(membership.organization.id, membership.actor);
  const token = tokens.find(({ id }) => id === request.params.token);
  if (token === undefined)
    throw notFound('No such token or assistant has access to this organization. Choose one from the list.');
  return { ...membership, token };
}

function listPage(
  { organization, path }: MembershipContext,
  tokens: readonly OrganizationTokenItem[],
  query: URLSearchParams,
): WebPage {
  const listPath = `${path}/tokens`;
  const { rows: pageRows, targets } = paginate(tokens, query, listPath);
  const rows = pageRows.map((token) => ({
    key: token.id,
    cells: [
      <Name key="name" token={token} />,
      token.owner.name,
      accessText(token, token.ceiling),
      <Timestamp key="used" at={token.last_used_at} />,
      <Expiry key="expires" token={token} />,
      <a key="view" href={`${path}/tokens/${token.id}`} aria-label={`View ${token.name}`}>
        View
      </a>,
    ],
  }));
  return {
    title: 'Tokens and assistants',
    section: listPath,
    organization,
    body: (
      <>
        <p class="sub">
          All API tokens and connected assistants with access to {organization.name}, of all members. You can revoke the
          access of each. To create a token, open <a href={TOKENS_PATH}>your API tokens</a>.
        </p>
        {tokens.length === 0 ? (
          <p class="empty">
            No tokens or assistants have access to this organization. Members create tokens, and connect assistants, on
            the pages of their account.
          </p>
        ) : (
          <Table
            caption={tokens.length === 1 ? '1 token or assistant' : `${tokens.length} tokens and assistants`}
            head={['Name', 'Owner', 'Role', 'Last used', 'Expires', 'Details']}
            rows={rows}
          />
        )}
        <PageLinks label="Pages of the list" targets={targets} />
      </>
    ),
  };
}

function tokenPage({ organization, path, token }: TokenDetails, form: FormState): WebPage {
  return {
    title: token.name,
    section: `${path}/tokens`,
    organization,
    form,
    body: (
      <>
        <p>
          <a href={`${path}/tokens`}>All tokens and assistants</a>
        </p>
        <Facts
          facts={[
            ['Kind', token.kind === 'ASSISTANT' ? 'Connected assistant' : `API token ending in ${token.last_four}`],
            ...(token.client === undefined ? [] : ([['Client', token.client.name]] as const)),
            ['Owner', token.owner.name],
            ['Role here', accessText(token, token.ceiling)],
            ['Created', <Timestamp key="created" at={token.created_at} />],
            ['Last used', <Timestamp key="used" at={token.last_used_at} />],
            ['Expires', <Expiry key="expires" token={token} />],
          ]}
        />
        <section class="card" aria-labelledby="revoke-title">
          <h2 id="revoke-title">Revoke access</h2>
          <p>
            {token.name} loses access to {organization.name} immediately. This cannot be undone: {token.owner.name}{' '}
            would have to create a new one. The history records the change.
          </p>
          <Form action={`${path}/tokens/${token.id}/take-out`}>
            <FormError form={form} />
            <ReasonField form={form} />
            <button type="submit" class="danger">
              Revoke access of {token.name}
            </button>
          </Form>
        </section>
      </>
    ),
  };
}

function Name({ token: { name, kind, last_four } }: { token: OrganizationTokenItem }) {
  return (
    <>
      {name}
      <br />
      <small>{kind === 'ASSISTANT' ? 'Assistant' : `Token …${last_four}`}</small>
    </>
  );
}

function Expiry({ token: { expires_at, expiring } }: { token: OrganizationTokenItem }) {
  return (
    <>
      <LongDay at={expires_at} /> {expiring && <span class="badge warning">Soon</span>}
    </>
  );
}
