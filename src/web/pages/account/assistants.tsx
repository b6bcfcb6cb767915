import type { Membership } from '../../../identity/memberships/members.ts';
import type { Assistant as Connected } from '../../../identity/oauth/oauth.ts';
import type { Autonomy } from '../../../register/proposal.ts';
import { CopyBlock, Facts, LongDay, Timestamp } from '../../components/components.tsx';
import { Form } from '../../components/form.tsx';
import { AUTONOMY_FIELDS, AutonomyForm } from '../../components/grant-fields.tsx';
import type { WebContext } from '../../server/context.ts';
import { hiddenField } from '../../server/form-state.ts';
import { actorOf, get, post, type Route } from '../../server/page-request.ts';
import { requireReauthentication } from '../../server/require-reauthentication.ts';
import { submitAndRedirect } from '../../server/submit-form.ts';
import { accessText, reachText } from '../../texts/access-text.ts';

const ASSISTANTS = '/settings/assistants';
const CREDENTIAL_FIELDS = { credential: hiddenField() };
const DISCONNECT_FIELDS = { assistant: hiddenField() };

/** The assistants that a person connected by OAuth, each with a button to disconnect it. */
export const assistantsPage = ({
  oauth,
  members,
  tokens,
  endpoint,
}: Pick<WebContext, 'endpoint' | 'members' | 'oauth' | 'tokens'>): Route[] => [
  get(ASSISTANTS, async ({ person: { account } }) => {
    const [active, organizations] = await Promise.all([
      oauth.assistantsOf(account.id),
      members.organizationsOf(account.id),
    ]);
    const memberships = new Map(organizations.map((organization) => [organization.id, organization]));
    return {
      title: 'Connected assistants',
      section: ASSISTANTS,
      body: (
        <>
          <p class="sub">
            Assistants that may act in your name. When you disconnect one, it loses access immediately. After your role
            was raised, connect them again: an assistant keeps its list of tools.
          </p>
          {active.length === 0 ? (
            <>
              <p class="muted">
                No assistants are connected. Add this address to your assistant, and it asks you to sign in:
              </p>
              <CopyBlock id="endpoint" text={endpoint} />
            </>
          ) : (
            active.map((assistant) => <Assistant key={assistant.id} assistant={assistant} memberships={memberships} />)
          )}
        </>
      ),
    };
  }),
  post(`${ASSISTANTS}/autonomy`, (request) => {
    requireReauthentication(request, ASSISTANTS);
    const fields = { ...AUTONOMY_FIELDS, ...CREDENTIAL_FIELDS };
    const change = ({ autonomy, credential }: { autonomy: Autonomy; credential: string }) =>
      tokens.changeAutonomy(credential, autonomy, actorOf(request));
    return submitAndRedirect(ASSISTANTS, 'Changed.', request.formValues, fields, change);
  }),
  post(`${ASSISTANTS}/disconnect`, (request) => {
    requireReauthentication(request, ASSISTANTS);
    const { person, formValues } = request;
    const disconnect = ({ assistant }: { assistant: string }) => oauth.disconnect(assistant, person.account.id);
    return submitAndRedirect(ASSISTANTS, 'The assistant is disconnected.', formValues, DISCONNECT_FIELDS, disconnect);
  }),
];

function Assistant(props: { assistant: Connected; memberships: ReadonlyMap<string, Membership> }) {
  const { assistant, memberships } = props;
  const { id, name, organizations, created_at, last_used_at, expires_at, expiring } = assistant;
  const reached = organizations.flatMap((id) => {
    const organization = memberships.get(id);
    return organization === undefined ? [] : reachText(organization, assistant);
  });
  const title = `assistant-${id}`;
  return (
    <section class="card" aria-labelledby={title}>
      <h2 id={title}>{name}</h2>
      <Facts
        facts={[
          ['Organizations', reached.length > 0 ? reached.join(', ') : 'none that you are a member of'],
          ['Role', accessText(assistant)],
          ['Connected', <Timestamp key="made" at={created_at} />],
          ['Last used', <Timestamp key="used" at={last_used_at} />],
          [
            'Expires',
            <>
              <LongDay at={expires_at} /> {expiring && <span class="badge warning">Soon</span>}
            </>,
          ],
        ]}
      />
      <AutonomyForm action={`${ASSISTANTS}/autonomy`} credential={assistant} />
      <Form action={`${ASSISTANTS}/disconnect`}>
        <input type="hidden" name="assistant" value={id} />
        <button type="submit" class="danger">
          Disconnect {name}
        </button>
      </Form>
    </section>
  );
}
