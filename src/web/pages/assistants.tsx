/** @jsxRuntime automatic @jsxImportSource preact */
import type { Assistant as Connected } from '../../identity/oauth/oauth.ts';
import { doThere } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { hidden } from '../forms.ts';
import { CopyBlock, Day, Facts, Moment } from '../pieces.tsx';
import { roleName } from '../roles.ts';
import { get, post, type Route } from '../visit.ts';

const ASSISTANTS = '/settings/assistants';
const DISCONNECTED = { assistant: hidden() };

/** Assistants that the visitor allowed (OAuth), each to be disconnected. */
export const assistantsPage = ({ oauth, members, endpoint }: WebContext): Route[] => [
  get(ASSISTANTS, async ({ person: { account } }) => {
    const [active, organizations] = await Promise.all([
      oauth.assistantsOf(account.id),
      members.organizationsOf(account.id),
    ]);
    const names = new Map(organizations.map(({ id, name }) => [id, name]));
    return {
      title: 'Connected assistants',
      section: ASSISTANTS,
      body: (
        <>
          <p>Assistants that you allowed to work here in your name. Disconnected ones have no access at once.</p>
          {active.length === 0 ? (
            <>
              <p class="muted">None is connected. Give your assistant this address, and it asks you to sign in:</p>
              <CopyBlock id="endpoint" text={endpoint} />
            </>
          ) : (
            active.map((one) => <Assistant key={one.id} assistant={one} names={names} />)
          )}
        </>
      ),
    };
  }),
  post(`${ASSISTANTS}/disconnect`, ({ person: { account }, sent }) =>
    doThere(ASSISTANTS, 'The assistant is disconnected.', sent, DISCONNECTED, ({ assistant }) =>
      oauth.disconnect(assistant, account.id),
    ),
  ),
];

function Assistant({ assistant, names }: { assistant: Connected; names: ReadonlyMap<string, string> }) {
  const { id, name, role, read_only, organizations, created_at, last_used_at, expires_at, expiring } = assistant;
  const reached = organizations.flatMap((one) => names.get(one) ?? []);
  const title = `assistant-${id}`;
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title}>{name}</h2>
      <Facts
        facts={[
          ['Organizations', reached.length > 0 ? reached.join(', ') : 'none that you are a member of'],
          ['May', `${roleName(role)}${read_only ? ', reading only' : ''}`],
          ['Connected', <Moment key="made" at={created_at} />],
          ['Last used', <Moment key="used" at={last_used_at} />],
          [
            'Until',
            <>
              <Day at={expires_at} /> {expiring && <span class="badge warning">Soon</span>}
            </>,
          ],
        ]}
      />
      <Form action={`${ASSISTANTS}/disconnect`}>
        <input type="hidden" name="assistant" value={id} />
        <button type="submit" class="danger">
          Disconnect {name}
        </button>
      </Form>
    </section>
  );
}
