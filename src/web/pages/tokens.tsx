/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { personOf } from '../../identity/actor.ts';
import type { Membership } from '../../identity/members.ts';
import type { ShownToken } from '../../identity/token-lists.ts';
import { DEFAULT_DAYS } from '../../identity/token-record.ts';
import { MAX_ACTIVE_CREDENTIALS } from '../../identity/tokens.ts';
import { attempt } from '../attempt.ts';
import { confirmFirst, inputIn, withInput } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { BLANK, checkbox, checkForm, type FormState, one } from '../forms.ts';
import { DAYS, GRANT } from '../grant-fields.tsx';
import type { Page } from '../page.ts';
import { PageLinks, pageOf } from '../paging.tsx';
import { issuedPage } from '../token-issued.tsx';
import { NewTokenForm, TokenCard } from '../token-views.tsx';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';

export const TOKENS = '/settings/tokens';

const NEW_TOKEN = {
  name: one(z.string().trim().min(1, 'Give the token a name, such as the assistant it is for.').max(200)),
  ...GRANT,
  read_only: checkbox(),
  once: one(z.uuid('Reload the page, then try again.')),
};
/** The fields that come back after reauthentication. */
const KEPT = ['name', ...Object.keys(GRANT), 'read_only'];
/** Older ones are not listed. */
const MOST_REVOKED = 20;

/** Settings → API Tokens. */
export const tokensPage = (context: WebContext): Route[] => {
  const { tokens } = context;
  return [
    get(TOKENS, (visit) => listPage(context, visit, inputIn(visit.query, KEPT))),
    post(TOKENS, async (visit) => {
      confirmFirst(context, visit, withInput(TOKENS, visit.sent, KEPT));
      const { id } = visit.person.account;
      const { done, state } = await attempt(visit.sent, NEW_TOKEN, (value) =>
        tokens.create({ ...value, account_id: id }, personOf(id)),
      );
      return state === null ? issuedPage(context.endpoint, done, 'NEW') : listPage(context, visit, state);
    }),
    post(`${TOKENS}/:id/regenerate`, async (visit) => {
      confirmFirst(context, visit, TOKENS);
      const { value, state } = checkForm(DAYS, visit.sent);
      if (value === null) return listPage(context, visit, { ...BLANK, fault: state.errors.get('days') ?? null });
      const issued = await tokens.regenerate(visit.params.id ?? '', value.days, personOf(visit.person.account.id));
      return issuedPage(context.endpoint, issued, 'RENEWED');
    }),
    post(`${TOKENS}/:id/revoke`, async (visit) => {
      await tokens.revoke(visit.params.id ?? '', undefined, personOf(visit.person.account.id));
      return redirect(TOKENS, 'The token is revoked: it no longer works anywhere.');
    }),
  ];
};

async function listPage(
  { members, tokens }: WebContext,
  { person, query }: SignedInVisit,
  form: FormState,
): Promise<Page> {
  const [organizations, all] = await Promise.all([
    members.organizationsOf(person.account.id),
    tokens.listOf(person.account.id),
  ]);
  const mine = all.filter(({ kind }) => kind === 'API');
  const active = all.filter(({ state }) => state === 'ACTIVE').length;
  const of = (wanted: ShownToken['state']) => mine.filter(({ state }) => state === wanted);
  const { shown, ways } = pageOf([...of('ACTIVE'), ...of('EXPIRED')], query, TOKENS);
  const revoked = of('REVOKED').slice(0, MOST_REVOKED);
  return {
    title: 'API Tokens',
    section: TOKENS,
    form,
    body: (
      <>
        <p>
          A token lets an assistant or a script in as you, with the role that you give it. Assistants that can sign in
          by themselves need none: see <a href="/">Start</a>.
        </p>
        {shown.length > 0 && (
          <p>
            <a href="#new">Make a token</a>
          </p>
        )}
        {shown.length > 0 && <List title="Your tokens" tokens={shown} organizations={organizations} />}
        <PageLinks label="Pages of your tokens" ways={ways} />
        <section id="new">
          <h2>Make a token</h2>
          {active >= MAX_ACTIVE_CREDENTIALS && (
            <p>You have {active} tokens and assistants. Revoke some that are not used, then make another.</p>
          )}
          {organizations.length === 0 && (
            <p>You are a member of no organization yet, so there is nothing that a token could reach.</p>
          )}
          {organizations.length > 0 && active < MAX_ACTIVE_CREDENTIALS && (
            <NewTokenForm action={TOKENS} form={form} organizations={organizations} days={DEFAULT_DAYS} />
          )}
        </section>
        {revoked.length > 0 && (
          <details>
            <summary>Revoked tokens</summary>
            <List title="Revoked" tokens={revoked} organizations={organizations} />
          </details>
        )}
      </>
    ),
  };
}

function List(props: { title: string; tokens: readonly ShownToken[]; organizations: readonly Membership[] }) {
  const names = new Map(props.organizations.map(({ id, name }) => [id, name]));
  return (
    <section>
      <h2>{props.title}</h2>
      <ul class="cards">
        {props.tokens.map((token) => (
          <li key={token.id} class="card">
            <TokenCard token={token} names={names} path={`${TOKENS}/${token.id}`} days={DEFAULT_DAYS} />
          </li>
        ))}
      </ul>
    </section>
  );
}
