import type { WebContext } from '../../server/context.ts';
import { publicGet, type Route, redirect } from '../../server/page-request.ts';
import type { WebPage } from '../../server/web-page.ts';

/** Sends signed-in people to their organization, or to the list of several. Tells others about the service. */
export const startPage = ({ members }: Pick<WebContext, 'members'>): Route[] => [
  publicGet('/', async ({ person }) => {
    if (person === null) return signedOutPage;
    const organizations = await members.organizationsOf(person.account.id);
    return redirect(organizations.length === 1 ? `/organizations/${organizations[0]!.id}` : '/organizations');
  }),
];

const signedOutPage: WebPage = {
  title: 'veritrail',
  plain: true,
  body: (
    <>
      <p class="lead">A compliance register that your AI assistant keeps with you.</p>
      <p>Risks, measures, vendors, obligations, controls, audits and their evidence, in one place.</p>
      <p>Every change is kept, you can view any past day, and you can prove that nobody altered the history.</p>
      <p>
        <a class="button" href="/sign-in">
          Sign in
        </a>
      </p>
    </>
  ),
};
