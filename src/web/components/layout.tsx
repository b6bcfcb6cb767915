/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { assetUrl } from '../server/assets.ts';
import { organizationLinks } from '../server/organization-links.ts';
import type { Notice } from '../server/page-request.ts';
import type { WebPage } from '../server/web-page.ts';
import { Form, FormToken } from './form.tsx';

/** The values that the layout shows around a page. */
export interface LayoutContext {
  /** The signed-in person's name; null before sign-in. */
  name: string | null;
  notice: Notice | null;
  formToken: () => string;
}

const BRAND = 'veritrail';
const SETTINGS = '/settings/';

const MAIN_LINKS = [
  ['/', 'Home'],
  ['/organizations', 'Organizations'],
  ['/settings/tokens', 'Settings'],
] as const;

const SETTINGS_LINKS = [
  ['/settings/tokens', 'API tokens'],
  ['/settings/assistants', 'Connected assistants'],
  ['/settings/security', 'Security'],
  ['/settings/account', 'Account'],
] as const;

/** Returns the whole HTML document. */
export function renderPage(page: WebPage, layout: LayoutContext): string {
  const body = (
    <FormToken.Provider value={layout.formToken}>
      <Document page={page} layout={layout} />
    </FormToken.Provider>
  );
  return `<!doctype html>${renderToString(body)}`;
}

function Document({ page, layout }: { page: WebPage; layout: LayoutContext }) {
  const hasNavigation = layout.name !== null && !page.plain;
  const hasSideNavigation = hasNavigation && (page.organization !== undefined || page.section?.startsWith(SETTINGS));
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{[...new Set([page.title, page.organization?.name ?? BRAND, BRAND])].join(' · ')}</title>
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl('style.css')} />
        <script src={assetUrl('app.js')} defer />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Header name={layout.name} section={page.section} />
        <div class={hasSideNavigation ? 'frame' : hasNavigation ? 'frame alone' : 'frame narrow'}>
          {hasSideNavigation && <SideNavigation page={page} />}
          <main id="main" tabIndex={-1}>
            {layout.notice !== null && <NoticeBox notice={layout.notice} />}
            <h1>{page.title}</h1>
            {page.body}
          </main>
        </div>
      </body>
    </html>
  );
}

/** Returns the main navigation entry whose path begins like the page's section. */
function mainSection(section: string | undefined): string | undefined {
  const first = (path: string) => path.split('/')[1];
  return MAIN_LINKS.find(([href]) => section !== undefined && first(href) === first(section))?.[0];
}

function Header({ name, section }: { name: string | null; section: string | undefined }) {
  return (
    <header class="top">
      <a class="brand" href="/">
        {BRAND}
      </a>
      {name === null ? null : (
        <>
          <nav aria-label="Main">
            <Links links={MAIN_LINKS} section={mainSection(section)} />
          </nav>
          <div class="person">
            <span class="name">{name}</span>
            <Form action="/sign-out">
              <button type="submit" class="quiet">
                Sign out
              </button>
            </Form>
          </div>
        </>
      )}
    </header>
  );
}

/** The navigation beside a page: the pages of its organization, or the settings. */
function SideNavigation({ page: { organization, section } }: { page: WebPage }) {
  return (
    <div class="side">
      {organization === undefined ? (
        <NavigationGroup title="Settings">
          <Links links={SETTINGS_LINKS} section={section} />
        </NavigationGroup>
      ) : (
        <NavigationGroup title={organization.name} label="Organization">
          <Links
            links={[
              [`/organizations/${organization.id}`, 'Overview'],
              ...organizationLinks(organization).map(({ href, title }) => [href, title] as const),
            ]}
            section={section}
          />
        </NavigationGroup>
      )}
    </div>
  );
}

function NavigationGroup(props: { title: string; label?: string; children: ComponentChildren }) {
  return (
    <nav aria-label={props.label ?? props.title}>
      <p class="group">{props.title}</p>
      {props.children}
    </nav>
  );
}

function Links({ links, section }: { links: readonly (readonly [string, string])[]; section: string | undefined }) {
  return (
    <ul>
      {links.map(([href, text]) => (
        <li key={href}>
          <a href={href} aria-current={href === section ? 'page' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  );
}

function NoticeBox({ notice }: { notice: Notice }) {
  return (
    <p class={notice.kind === 'DONE' ? 'notice done' : 'notice warning'} role="status">
      {notice.text}
    </p>
  );
}
