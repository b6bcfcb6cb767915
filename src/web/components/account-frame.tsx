import type { ComponentChildren } from 'preact';
import { Person, RailSwitch } from './register-frame.tsx';

type Link = readonly [href: string, title: string];

const GENERAL_LINKS: readonly Link[] = [
  ['/organizations', 'Organizations'],
  ['/connect', 'Connect an assistant'],
];

const ACCOUNT_LINKS: readonly Link[] = [
  ['/settings/account', 'Account'],
  ['/settings/tokens', 'API tokens'],
  ['/settings/assistants', 'Connected assistants'],
  ['/settings/security', 'Security'],
];

/** The frame of a person's own pages. It looks as an organization's, with the person's pages in the rail. */
export function AccountFrame(props: { section: string | undefined; name: string; children: ComponentChildren }) {
  const { section, name, children } = props;
  return (
    <div class="shell account">
      <nav class="rail" id="rail" aria-label="Pages">
        <a class="brand" href="/">
          veritrail
        </a>
        <RailSwitch />
        <Links links={GENERAL_LINKS} section={section} />
        <p class="group">Your account</p>
        <Links links={ACCOUNT_LINKS} section={section} />
      </nav>
      <div class="main">
        <header class="bar">
          <Person name={name} />
        </header>
        {children}
      </div>
    </div>
  );
}

function Links({ links, section }: { links: readonly Link[]; section: string | undefined }) {
  return (
    <ul>
      {links.map(([href, title]) => (
        <li key={href}>
          <a href={href} aria-current={href === section ? 'page' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}
