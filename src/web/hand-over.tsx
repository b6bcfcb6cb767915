/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import type { Page } from './page.ts';
import { CopyBlock } from './pieces.tsx';
import type { Within } from './within.ts';

/** A link, shown this once, for an owner to give to somebody. */
export function handOverPage(
  { organization, path }: Within,
  link: { id: string; url: string; about: ComponentChildren },
): Page {
  return {
    title: 'Hand over this link',
    section: `${path}/members`,
    organization,
    body: (
      <div class="card">
        <p>{link.about}</p>
        <p>It is shown only now. Send it by a way that only they read.</p>
        <CopyBlock id={link.id} text={link.url} secret />
        <a class="button" href={`${path}/members`}>
          Back to the members
        </a>
      </div>
    ),
  };
}
