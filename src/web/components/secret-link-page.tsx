import type { ComponentChildren } from 'preact';
import type { MembershipContext } from '../server/require-membership.ts';
import type { WebPage } from '../server/web-page.ts';
import { CopyBlock } from './components.tsx';

/** Shows a link once, for an owner to pass on. */
export function secretLinkPage(
  { organization, path }: MembershipContext,
  link: { id: string; url: string; about: ComponentChildren },
): WebPage {
  return {
    title: 'Pass on this link',
    section: `${path}/members`,
    organization,
    body: (
      <div class="card">
        <p>{link.about}</p>
        <p>It is shown only once. Send it by a channel that only they can read.</p>
        <CopyBlock id={link.id} text={link.url} secret isMain />
        <a href={`${path}/members`}>Back to members</a>
      </div>
    ),
  };
}
