/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { assetUrl } from '../server/assets.ts';
import { hasErrors } from '../server/form-state.ts';
import type { Notice } from '../server/page-request.ts';
import type { WebPage } from '../server/web-page.ts';
import { momentText } from '../texts/dates.ts';
import { DemoLine } from './demo-line.tsx';
import { Form, FormToken } from './form.tsx';
import { RegisterFrame } from './register-frame.tsx';

/** The values that the layout shows around a page. */
export interface LayoutContext {
  /** The signed-in person's name; null before sign-in. */
  name: string | null;
  /** True if that person belongs to the demo. */
  isDemo: boolean;
  notice: Notice | null;
  formToken: () => string;
}

/** The style sheets of an organization's pages. */
const REGISTER_STYLES = ['charts.css', 'register.css', 'lists.css', 'home.css', 'reports.css'] as const;

/** The page is painted after this script, so that it moves no text. Preact's types don't know the attribute. */
const BEFORE_FIRST_PAINT = { blocking: 'render' };

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
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{titleOf(page)}</title>
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl('style.css')} />
        {page.organization !== undefined &&
          REGISTER_STYLES.map((name) => <link key={name} rel="stylesheet" href={assetUrl(name)} />)}
        <script src={assetUrl('local-time.js')} type="module" {...BEFORE_FIRST_PAINT} />
        <script src={assetUrl('app.js')} defer />
        {page.script !== undefined && <script src={assetUrl(page.script)} type="module" />}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {layout.isDemo && <DemoLine name={layout.name ?? ''} />}
        <Frame page={page} layout={layout}>
          <main id="main" tabIndex={-1}>
            {layout.notice !== null && <NoticeBox notice={layout.notice} />}
            {page.heading ?? <h1>{page.title}</h1>}
            {page.body}
          </main>
        </Frame>
      </body>
    </html>
  );
}

/** Returns the document's title: the page, the past moment that it shows, the organization and the brand. */
function titleOf({ title, moment, organization, form }: WebPage): string {
  const past = moment?.past ? [momentText(moment.past.time)] : [];
  const error = form !== undefined && hasErrors(form) ? 'Error: ' : '';
  return error + [...new Set([title, ...past, organization?.name ?? BRAND, BRAND])].join(' · ');
}

/** The navigation around a page: the rail of an organization's pages, the settings beside a person's own, or neither. */
function Frame({ page, layout, children }: { page: WebPage; layout: LayoutContext; children: ComponentChildren }) {
  const { organization } = page;
  const hasNavigation = layout.name !== null && !page.plain;
  if (hasNavigation && organization !== undefined) {
    return (
      <RegisterFrame page={page} organization={organization} name={layout.name!}>
        {children}
      </RegisterFrame>
    );
  }
  const hasSettings = hasNavigation && page.section?.startsWith(SETTINGS);
  return (
    <>
      <Header name={layout.name} section={page.section} />
      <div class={hasSettings ? 'frame' : hasNavigation ? 'frame alone' : 'frame narrow'}>
        {hasSettings && (
          <div class="side">
            <NavigationGroup title="Settings">
              <Links links={SETTINGS_LINKS} section={page.section} />
            </NavigationGroup>
          </div>
        )}
        {children}
      </div>
    </>
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

function NavigationGroup(props: { title: string; children: ComponentChildren }) {
  return (
    <nav aria-label={props.title}>
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
