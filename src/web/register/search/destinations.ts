import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import { settingsLinks } from '../../server/organization-links.ts';
import { ADD_FORMS } from '../forms/add-forms.ts';
import { momentAddress } from '../moments/moment-control.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { familyHeading, ORDERED_FAMILIES, RAIL_GROUPS } from '../rail-links.ts';

/** A page or an action that a search finds. */
export interface Destination {
  title: string;
  address: string;
}

/** Returns the pages and actions whose title has a word that begins like each word of the query; all for an empty one. */
export function findDestinations(view: RegisterView, query: string): Destination[] {
  const prefixes = wordsOf(query);
  return destinationsOf(view).filter(({ title }) => prefixes.every((prefix) => hasWord(title, prefix)));
}

/** Returns true if a word of the text begins so. */
export function hasWord(text: string, prefix: string): boolean {
  return wordsOf(text).some((word) => word.startsWith(prefix));
}

/** Returns the words of a text in lower case. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
}

/** Returns next steps for a query that finds nothing: a list to look through, and the history. */
export function nextSteps(view: RegisterView): Destination[] {
  const [family] = ORDERED_FAMILIES;
  const list = {
    title: `All ${familyHeading(family!).toLowerCase()}`,
    address: registerAddress(view, `/${family!.plural}`),
  };
  const changes = { title: 'All changes', address: registerAddress(view, '/changes') };
  return [list, changes];
}

function destinationsOf(view: RegisterView): Destination[] {
  const { organization, past } = view;
  const page = (title: string, path: string) => ({ title, address: registerAddress(view, path) });
  const home = { ...view, path: `/organizations/${organization.id}`, query: new URLSearchParams() };
  const from = past === null ? {} : { from: past.asOf };
  return [
    ...RAIL_GROUPS.flatMap((links) => links.map(([path, title]) => page(title, path))),
    page('Frameworks', '/frameworks'),
    ...settingsLinks(organization).map(({ title, href }) => ({ title, address: href })),
    ...(past === null ? [] : [{ title: 'Back to today', address: momentAddress(home, null) }]),
    { title: 'Compare two moments', address: organizationAddress(organization.id, '/compare', from) },
    { title: 'Verify a file', address: organizationAddress(organization.id, '/verify', {}) },
    ...ADD_FORMS.filter(({ permission }) => roleAllows(organization.role, permission)).map(({ family, button }) => ({
      title: button,
      address: organizationAddress(organization.id, `/${family.plural}/add`),
    })),
    ...(roleAllows(organization.role, 'changeMembers')
      ? [{ title: 'Invite a person', address: organizationAddress(organization.id, '/members') }]
      : []),
    ...(roleAllows(organization.role, 'changeRecords')
      ? [
          {
            title: 'Import a spreadsheet, adopt a framework',
            address: `/organizations/${organization.id}/getting-started`,
          },
        ]
      : []),
    { title: 'Connect an assistant', address: '/connect' },
    { title: 'Switch organization', address: '/organizations' },
    { title: 'Your tokens, assistants and account', address: '/settings/tokens' },
  ];
}
