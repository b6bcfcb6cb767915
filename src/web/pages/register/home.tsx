/** @jsxRuntime automatic @jsxImportSource preact */
import { ExpiringTokens } from '../../components/expiring-tokens.tsx';
import { openRegister } from '../../register/open-register.ts';
import type { WebContext } from '../../server/context.ts';
import { get, type Route } from '../../server/page-request.ts';

/** An organization's first page. */
export const homePage = (context: Pick<WebContext, 'members' | 'reader' | 'tokens'>): Route[] => [
  get('/organizations/:id', async (request) => {
    const view = await openRegister(context, request);
    const { organization } = view;
    return {
      title: 'Home',
      section: view.path,
      organization,
      moment: view,
      body: (
        <>
          <ExpiringTokens tokens={await context.tokens.listOfAccount(request.person.account.id)} />
          <ConnectCard />
        </>
      ),
    };
  }),
];

function ConnectCard() {
  return (
    <section class="card">
      <h2>Connect an assistant</h2>
      <p class="sub">It adds and changes records for you, with your role. You see here what it did.</p>
      <a class="button quiet" href="/connect">
        Connect an assistant
      </a>
    </section>
  );
}
