/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Person } from './register-frame.tsx';

const ACCOUNT_LINKS = [
  [
    ['/organizations', 'Organizations'],
    ['/connect', 'Connect an assistant'],
  ],
  [
    ['/settings/tokens', 'API tokens'],
    ['/settings/assistants', 'Connected assistants'],
    ['/settings/security', 'Security'],
    ['/settings/account', 'Account'],
  ],
] as const;

/** The frame of a person's own pages. It looks as an organization's, with the person's pages in the rail. */
export function AccountFrame(props: { section: string | undefined; name: string; children: ComponentChildren }) {
  const { section, name, children } = props;
  return (
    <div class="shell account">
      <nav class="rail" aria-label="Your account">
        <a class="brand" href="/">
          veritrail
        </a>
        {ACCOUNT_LINKS.map((links) => (
          <ul key={links[0][0]}>
            {links.map(([href, title]) => (
              <li key={href}>
                <a href={href} aria-current={href === section ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        ))}
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
