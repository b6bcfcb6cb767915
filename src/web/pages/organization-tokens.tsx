/** @jsxRuntime automatic @jsxImportSource preact */
import { notFound } from '../../http/http-errors.ts';
import type { ReachingToken } from '../../identity/tokens.ts';
import { attempt } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { FormFault } from '../fields.tsx';
import { BLANK, type FormState } from '../forms.ts';
import type { Page } from '../page.ts';
import { PageLinks, pageOf } from '../paging.tsx';
import { Day, Facts, Moment, Table } from '../pieces.tsx';
import { REASON, ReasonField } from '../reason-field.tsx';
import { roleName } from '../roles.ts';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';
import { type Within, within } from '../within.ts';

const TOKENS = '/organizations/:id/tokens';

/** Everything that may call tools in an organization, whoever's it is: for its OWNERs and ADMINs. */
export const organizationTokensPage = (context: WebContext): Route[] => [
  get(TOKENS, async (visit) => {
    const place = await within(context, visit, 'viewTokens');
    return listPage(place, await context.tokens.listIn(place.organization.id, place.actor), visit.query);
  }),
  get(`${TOKENS}/:token`, async (visit) => tokenPage(await find(context, visit), BLANK)),
  post(`${TOKENS}/:token/take-out`, async (visit) => {
    const found = await find(context, visit);
    const { organization, actor, path, token } = found;
    const { state } = await attempt(visit.sent, REASON, ({ reason }) =>
      context.tokens.takeOut(token.id, organization.id, actor, reason),
    );
    if (state !== null) return tokenPage(found, state);
    return redirect(`${path}/tokens`, `${token.name} does not reach ${organization.name} any more.`);
  }),
];

type Found = Within & { token: ReachingToken };

async function find(context: WebContext, visit: SignedInVisit): Promise<Found> {
  const place = await within(context, visit, 'viewTokens');
  const tokens = await context.tokens.listIn(place.organization.id, place.actor);
  const token = tokens.find(({ id }) => id === visit.params.token);
  if (token === undefined) throw notFound('Nothing of that kind reaches this organization: look at the list.');
  return { ...place, token };
}

function listPage({ organization, path }: Within, tokens: readonly ReachingToken[], query: URLSearchParams): Page {
  const here = `${path}/tokens`;
  const { shown, ways } = pageOf(tokens, query, here);
  const rows = shown.map((token) => ({
    key: token.id,
    cells: [
      <Name key="name" token={token} />,
      token.owner.name,
      may(token),
      <Moment key="used" at={token.last_used_at} />,
      <Expiry key="expires" token={token} />,
      <a key="look" href={`${path}/tokens/${token.id}`} aria-label={`Look at it: ${token.name}`}>
        Look at it
      </a>,
    ],
  }));
  return {
    title: 'Tokens and assistants',
    section: here,
    organization,
    body: (
      <>
        <p>
          Every API token and connected assistant that reaches {organization.name}, whoever made it. You may take any
          out: it has no access here from then on.
        </p>
        {tokens.length === 0 ? (
          <p class="muted">Nothing reaches this organization but people at their browsers.</p>
        ) : (
          <Table
            caption={tokens.length === 1 ? '1 token or assistant' : `${tokens.length} tokens and assistants`}
            head={['Name', 'Whose', 'May', 'Last used', 'Expires', 'More']}
            rows={rows}
          />
        )}
        <PageLinks label="Pages of the list" ways={ways} />
      </>
    ),
  };
}

function tokenPage({ organization, path, token }: Found, form: FormState): Page {
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
            ['Whose', token.owner.name],
            ['May here', may(token)],
            ['Made', <Moment key="made" at={token.created_at} />],
            ['Last used', <Moment key="used" at={token.last_used_at} />],
            ['Expires', <Expiry key="expires" token={token} />],
          ]}
        />
        <section class="card" aria-labelledby="take-out-title">
          <h2 id="take-out-title">Take it out</h2>
          <p>
            It loses access to {organization.name} at once, and nobody can give it back: {token.owner.name} has to make
            another one. It is noted in the history.
          </p>
          <Form action={`${path}/tokens/${token.id}/take-out`}>
            <FormFault form={form} />
            <ReasonField form={form} />
            <button type="submit" class="danger">
              Take {token.name} out
            </button>
          </Form>
        </section>
      </>
    ),
  };
}

function may({ role, read_only }: ReachingToken): string {
  return `${roleName(role)}${read_only ? ', reading only' : ''}`;
}

function Name({ token: { name, kind, last_four } }: { token: ReachingToken }) {
  return (
    <>
      {name}
      <br />
      <small>{kind === 'ASSISTANT' ? 'Assistant' : `Token …${last_four}`}</small>
    </>
  );
}

function Expiry({ token: { expires_at, expiring } }: { token: ReachingToken }) {
  return (
    <>
      <Day at={expires_at} /> {expiring && <span class="badge warning">Soon</span>}
    </>
  );
}
