/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { CopyBlock } from './components.tsx';
import type { MembershipContext } from './require-membership.ts';
import type { WebPage } from './web-page.ts';

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
        <CopyBlock id={link.id} text={link.url} secret />
        <a class="button" href={`${path}/members`}>
          Back to members
        </a>
      </div>
    ),
  };
}
