import { organizationAddress } from '../../../addresses/page-addresses.ts';
import { roleAllows } from '../../../commands/organization/permissions.ts';
import { settingsLinks } from '../../server/organization-links.ts';
import { momentAddress } from '../moments/moment-control.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { railGroups } from '../rail-links.ts';

/** A page or an action that a search finds. */
export interface Destination {
  title: string;
  address: string;
}

/** Returns the pages and actions whose title has a word that begins like each word of the query; all for an empty one. */
export function findDestinations(view: RegisterView, query: string): Destination[] {
  const prefixes = wordsOf(query);
  return destinationsOf(view).filter(({ title }) => {
    const words = wordsOf(title);
    return prefixes.every((prefix) => words.some((word) => word.startsWith(prefix)));
  });
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');

function destinationsOf(view: RegisterView): Destination[] {
  const { organization, past, readsPast } = view;
  const page = (title: string, path: string) => ({ title, address: registerAddress(view, path) });
  const home = { ...view, path: `/organizations/${organization.id}`, query: new URLSearchParams() };
  const from = past === null ? {} : { from: past.asOf };
  return [
    ...railGroups(organization).flatMap((links) => links.map(([path, title]) => page(title, path))),
    page('Frameworks', '/frameworks'),
    ...settingsLinks(organization).map(({ title, href }) => ({ title, address: href })),
    ...(past === null ? [] : [{ title: 'Back to today', address: momentAddress(home, null) }]),
    ...(readsPast
      ? [
          { title: 'Compare two moments', address: organizationAddress(organization.id, '/compare', from) },
          { title: 'Verify a file', address: organizationAddress(organization.id, '/verify', {}) },
        ]
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
