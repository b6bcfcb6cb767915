import { z } from 'zod';
import type { Membership } from '../../../identity/memberships/members.ts';
import type { TokenListItem } from '../../../identity/tokens/token-lists.ts';
import { DEFAULT_TOKEN_DAYS } from '../../../identity/tokens/token-record.ts';
import { MAX_ACTIVE_CREDENTIALS } from '../../../identity/tokens/tokens.ts';
import { AUTONOMY_FIELDS, DAYS_FIELDS, GRANT_FIELDS } from '../../components/grant-fields.tsx';
import { issuedTokenPage } from '../../components/issued-token-page.tsx';
import { PageLinks, paginate } from '../../components/paging.tsx';
import { NewTokenForm, TokenCard } from '../../components/token-views.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, checkboxField, checkForm, type FormState, singleField } from '../../server/form-state.ts';
import { actorOf, get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import {
  formFromQuery,
  requireReauthentication,
  requireReauthenticationFor,
} from '../../server/require-reauthentication.ts';
import { submitAndRedirect, submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

type Collaborators = Pick<WebContext, 'endpoint' | 'people' | 'members' | 'tokens'>;

export const TOKENS_PATH = '/settings/tokens';

const NEW_TOKEN_FIELDS = {
  name: singleField(z.string().trim().min(1, 'Name the token, for example after the assistant that uses it.').max(200)),
  ...GRANT_FIELDS,
  read_only: checkboxField(),
  ...AUTONOMY_FIELDS,
  once: singleField(z.uuid('Reload the page and try again.')),
};
/** The fields that keep their input through reauthentication. */
const FIELD_NAMES = ['name', ...Object.keys(GRANT_FIELDS), 'read_only', 'autonomy'];
const REGENERATION_FIELD_NAMES = ['token', ...Object.keys(DAYS_FIELDS)];
const MAX_LISTED_REVOKED = 20;

/** Your account → API tokens. */
export const tokensPage = (context: Collaborators): Route[] => {
  const { tokens } = context;
  return [
    get(TOKENS_PATH, (request) =>
      listPage(context, request, {
        form: formFromQuery(request, FIELD_NAMES),
        tokenId: request.query.get('token'),
      }),
    ),
    post(TOKENS_PATH, async (request) => {
      requireReauthenticationFor('createTokens', request, TOKENS_PATH, FIELD_NAMES);
      const { id } = request.person.account;
      const { result, form } = await submitForm(request.formValues, NEW_TOKEN_FIELDS, (value) =>
        tokens.create({ ...value, account_id: id }, actorOf(request)),
      );
      return form === null
        ? issuedTokenPage(context.endpoint, result, 'CREATED')
        : listPage(context, request, { form, tokenId: null });
    }),
    post(`${TOKENS_PATH}/:id/regenerate`, async (request) => {
      requireReauthenticationFor('createTokens', request, TOKENS_PATH, REGENERATION_FIELD_NAMES);
      const tokenId = request.params.id ?? '';
      const { value, form } = checkForm(DAYS_FIELDS, request.formValues);
      if (value === null) return listPage(context, request, { form, tokenId });
      const issuedToken = await tokens.regenerate(tokenId, value.days, actorOf(request));
      return issuedTokenPage(context.endpoint, issuedToken, 'REGENERATED');
    }),
    post(`${TOKENS_PATH}/:id/autonomy`, (request) => {
      requireReauthentication(request, TOKENS_PATH);
      return submitAndRedirect(TOKENS_PATH, 'Changed.', request.formValues, AUTONOMY_FIELDS, ({ autonomy }) =>
        tokens.changeAutonomy(request.params.id ?? '', autonomy, actorOf(request)),
      );
    }),
    post(`${TOKENS_PATH}/:id/revoke`, async (request) => {
      requireReauthentication(request, TOKENS_PATH);
      await tokens.revoke(request.params.id ?? '', undefined, actorOf(request));
      return redirect(TOKENS_PATH, 'Token revoked. It no longer works anywhere.');
    }),
  ];
};

/** A form of the page, and the token that it would regenerate. Null for the form of a new token. */
interface TokenFormState {
  form: FormState;
  tokenId: string | null;
}

async function listPage(
  { members, tokens }: Collaborators,
  { person, query }: SignedInRequest,
  sentForm: TokenFormState,
): Promise<WebPage> {
  const [organizations, all] = await Promise.all([
    members.organizationsOf(person.account.id),
    tokens.listOfAccount(person.account.id),
  ]);
  const mine = all.filter(({ kind }) => kind === 'API');
  const active = all.filter(({ state }) => state === 'ACTIVE').length;
  const inState = (wantedState: TokenListItem['state']) => mine.filter(({ state }) => state === wantedState);
  const { rows, targets } = paginate([...inState('ACTIVE'), ...inState('EXPIRED')], query, TOKENS_PATH);
  const revoked = inState('REVOKED').slice(0, MAX_LISTED_REVOKED);
  return {
    title: 'API tokens',
    section: TOKENS_PATH,
    form: sentForm.form,
    body: (
      <>
        <p class="sub">
          An assistant or script uses a token to act as you, with the role that you choose. Assistants that can sign in
          by themselves don’t need one: <a href="/connect">connect an assistant</a>.
        </p>
        {rows.length > 0 && (
          <p>
            <a href="#new">Create a token</a>
          </p>
        )}
        {rows.length > 0 && (
          <List title="Your tokens" tokens={rows} organizations={organizations} sentForm={sentForm} />
        )}
        <PageLinks label="Pages of your tokens" targets={targets} />
        <section id="new">
          <h2>Create a token</h2>
          {active >= MAX_ACTIVE_CREDENTIALS && (
            <p>
              You have {active} tokens and assistants, which is the maximum. Revoke unused ones before you create
              another.
            </p>
          )}
          {organizations.length === 0 && (
            <p>You are not a member of any organization yet, so there is nothing a token could access.</p>
          )}
          {organizations.length > 0 && active < MAX_ACTIVE_CREDENTIALS && (
            <NewTokenForm
              action={TOKENS_PATH}
              form={sentForm.tokenId === null ? sentForm.form : BLANK_FORM}
              organizations={organizations}
              days={DEFAULT_TOKEN_DAYS}
            />
          )}
        </section>
        {revoked.length > 0 && (
          <details>
            <summary>Revoked tokens</summary>
            <List title="Revoked" tokens={revoked} organizations={organizations} sentForm={sentForm} />
          </details>
        )}
      </>
    ),
  };
}

function List(props: {
  title: string;
  tokens: readonly TokenListItem[];
  organizations: readonly Membership[];
  sentForm: TokenFormState;
}) {
  const { form, tokenId } = props.sentForm;
  const organizations = new Map(props.organizations.map((organization) => [organization.id, organization]));
  return (
    <section>
      <h2>{props.title}</h2>
      <ul class="plain">
        {props.tokens.map((token) => (
          <li key={token.id} class="card">
            <TokenCard
              token={token}
              organizations={organizations}
              path={`${TOKENS_PATH}/${token.id}`}
              days={DEFAULT_TOKEN_DAYS}
              form={tokenId === token.id ? form : BLANK_FORM}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
