/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import type { PastMoment } from '../register/page-moment.ts';
import { railGroups } from '../register/rail-links.ts';
import { type OrganizationLink, settingsLinks } from '../server/organization-links.ts';
import type { WebPage } from '../server/web-page.ts';
import { momentText } from '../texts/dates.ts';
import { ExactTime } from './components.tsx';
import { Form } from './form.tsx';

type Organization = NonNullable<WebPage['organization']>;

/** The frame of an organization's pages: the rail on the left, search, moment and person above. */
export function RegisterFrame(props: {
  page: WebPage;
  organization: Organization;
  name: string;
  children: ComponentChildren;
}) {
  const { page, organization, name, children } = props;
  const { moment } = page;
  const past = moment?.past ?? null;
  const settings = settingsLinks(organization);
  const isSetting = settings.some(({ href }) => href === page.section);
  return (
    <div class={past === null ? 'shell' : 'shell past'}>
      <Rail organization={organization} section={isSetting ? settings[0]!.href : page.section} past={past} />
      <div class="main">
        <header class="bar">
          {moment !== undefined && <MomentControl path={moment.path} past={past} canChange={moment.readsPast} />}
          <Person name={name} />
        </header>
        {past !== null && <PastLine past={past} path={moment!.path} organization={organization} />}
        {isSetting && <SettingsLinks links={settings} section={page.section} />}
        {children}
      </div>
    </div>
  );
}

function Rail({
  organization,
  section,
  past,
}: {
  organization: Organization;
  section: string | undefined;
  past: PastMoment | null;
}) {
  const base = `/organizations/${organization.id}`;
  const query = past === null ? '' : `?as_of=${encodeURIComponent(past.asOf)}`;
  return (
    <nav class="rail" aria-label={organization.name}>
      <a class="brand" href="/organizations" title="Switch organization">
        {organization.name}
        <span aria-hidden="true"> ▾</span>
      </a>
      {railGroups(organization).map((links) => (
        <ul key={links[0]![0]}>
          {links.map(([page, title]) => (
            <li key={page}>
              <a href={`${base}${page}${query}`} aria-current={`${base}${page}` === section ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

/** The settings pages beside one another. */
function SettingsLinks({ links, section }: { links: readonly OrganizationLink[]; section: string | undefined }) {
  return (
    <nav class="tabs" aria-label="Settings">
      <ul>
        {links.map(({ href, title }) => (
          <li key={href}>
            <a href={href} aria-current={href === section ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Chooses the moment that the page shows. It is a form, so that it works without script. */
function MomentControl({ path, past, canChange }: { path: string; past: PastMoment | null; canChange: boolean }) {
  if (!canChange) return null;
  return (
    <details class="moment">
      <summary>{past === null ? 'Today' : momentText(past.time)}</summary>
      <form method="get" action={path} class="menu">
        <label for="as_of">Show the register at the end of</label>
        <input id="as_of" name="as_of" type="date" required value={past?.time.slice(0, 10)} />
        <button type="submit">Go</button>
      </form>
    </details>
  );
}

/** The line that stays while a past moment is shown. */
function PastLine({ past, path, organization }: { past: PastMoment; path: string; organization: Organization }) {
  const { time, audit, changesSince } = past;
  return (
    <div class="then" role="status">
      <span>
        You are viewing <b>{time.length === 10 ? momentText(time) : <ExactTime at={time} />}</b>
        {audit === null ? '.' : ` — ${audit}, as completed.`} {changesSince} {changesSince === 1 ? 'change' : 'changes'}{' '}
        since.
      </span>
      <a href={`/organizations/${organization.id}/compare?from=${encodeURIComponent(past.asOf)}`}>Compare with today</a>
      <a href={path}>Back to today</a>
    </div>
  );
}

function Person({ name }: { name: string }) {
  return (
    <div class="person">
      <a href="/settings/tokens" class="name">
        {name}
      </a>
      <Form action="/sign-out">
        <button type="submit" class="quiet small">
          Sign out
        </button>
      </Form>
    </div>
  );
}
