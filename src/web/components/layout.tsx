import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { BUILD_VERSION } from '../../version.ts';
import type { RailCounts } from '../register/rail-counts.ts';
import { UndoButton } from '../register/undo/undo-link.tsx';
import { type AssetName, assetUrl } from '../server/assets.ts';
import { hasErrors } from '../server/form-state.ts';
import type { Notice } from '../server/page-request.ts';
import type { WebPage } from '../server/web-page.ts';
import { momentText } from '../texts/dates.ts';
import { AccountFrame } from './account-frame.tsx';
import { DemoLine } from './demo-line.tsx';
import { FormToken } from './form.tsx';
import { Person, RegisterFrame } from './register-frame.tsx';

/** The values that the layout shows around a page. */
export interface LayoutContext {
  /** The signed-in person's name; null before sign-in. */
  name: string | null;
  /** True if that person belongs to the demo. */
  isDemo: boolean;
  notice: Notice | null;
  /** The page's path and query. */
  address: string;
  railCounts: RailCounts;
  /** The current date. */
  today: string;
  formToken: () => string;
}

/** The page is painted after this script, so that it moves no text. Preact's types don't know the attribute. */
const BEFORE_FIRST_PAINT = { blocking: 'render' };

const BRAND = 'veritrail';
/** Returns the whole HTML document. */
export function renderPage(page: WebPage, layout: LayoutContext): string {
  const body = (
    <FormToken.Provider value={layout.formToken}>
      <Document page={page} layout={layout} />
    </FormToken.Provider>
  );
  return `<!doctype html>${renderToString(body)}`;
}

/** Returns a page's body alone. */
export function renderFragment({ body }: WebPage): string {
  // biome-ignore lint/complexity/noUselessFragments: renderToString takes an element only
  return renderToString(<>{body}</>);
}

function Document({ page, layout }: { page: WebPage; layout: LayoutContext }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <DocumentTitle page={page} />
        <link rel="icon" href={assetUrl('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetUrl(isFramed(page, layout) ? 'register.css' : 'page.css')} />
        <script src={assetUrl(scriptOf(page, layout))} type="module" {...BEFORE_FIRST_PAINT} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {layout.isDemo && <DemoLine name={layout.name ?? ''} />}
        <Frame page={page} layout={layout}>
          <main id="main" tabIndex={-1}>
            {layout.notice !== null && <NoticeBox notice={layout.notice} address={layout.address} />}
            {page.heading ?? <h1>{page.title}</h1>}
            {page.body}
          </main>
          {/* A stranger learns no version. */}
          {layout.name !== null && <footer class="muted">veritrail {BUILD_VERSION}</footer>}
        </Frame>
      </body>
    </html>
  );
}

const isFramed = ({ plain }: WebPage, { name }: LayoutContext): boolean => name !== null && !plain;

function scriptOf(page: WebPage, layout: LayoutContext): AssetName {
  return page.script ?? (isFramed(page, layout) && page.organization !== undefined ? 'register.js' : 'page.js');
}

/** The document's title: the page, the past moment that it shows, in the reader's zone by script, the organization and the brand. */
function DocumentTitle({ page: { title, moment, organization, form } }: { page: WebPage }) {
  const at = moment?.past?.time;
  const past = at === undefined ? [] : [momentText(at)];
  const error = form !== undefined && hasErrors(form) ? 'Error: ' : '';
  const text = error + [...new Set([title, ...past, organization?.name ?? BRAND, BRAND])].join(' · ');
  return (
    <title data-at={at} data-at-text={past[0]}>
      {text}
    </title>
  );
}

/** The navigation around a page: that of an organization, that of a person's account, or none. */
function Frame({ page, layout, children }: { page: WebPage; layout: LayoutContext; children: ComponentChildren }) {
  const { organization, section } = page;
  if (layout.name === null || page.plain) {
    return (
      <>
        <Header name={layout.name} />
        <div class="frame">{children}</div>
      </>
    );
  }
  if (organization === undefined) {
    return (
      <AccountFrame section={section} name={layout.name}>
        {children}
      </AccountFrame>
    );
  }
  return (
    <RegisterFrame page={page} organization={organization} {...layout} name={layout.name}>
      {children}
    </RegisterFrame>
  );
}

function Header({ name }: { name: string | null }) {
  return (
    <header class="row top">
      <a class="brand" href="/">
        {BRAND}
      </a>
      {name !== null && <Person name={name} />}
    </header>
  );
}

function NoticeBox({ notice: { kind, text, undos = [], link }, address }: { notice: Notice; address: string }) {
  const tone = kind === 'DONE' ? 'done' : 'warning';
  const said =
    link === undefined
      ? text
      : [
          `${text} `,
          <a key="link" href={link.address}>
            {link.name}
          </a>,
          '.',
        ];
  if (undos.length === 0) {
    return (
      <p class={`notice ${tone}`} role="status">
        {said}
      </p>
    );
  }
  return (
    <div class={`notice row ${tone}`} role="status">
      <span>{said}</span>
      {undos.map((undo) => (
        <UndoButton key={undo.address} action={undo.address} button={undo.button} back={address} />
      ))}
    </div>
  );
}
