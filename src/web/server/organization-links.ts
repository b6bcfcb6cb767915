import { roleAllows } from '../../commands/organization/permissions.ts';
import type { WebPage } from './web-page.ts';

export interface OrganizationLink {
  href: string;
  title: string;
  /** A sentence: the page's purpose. */
  about: string;
}

/** Returns links to the organization's settings that this role may open. The first is their overview. */
export function settingsLinks({ id, role }: NonNullable<WebPage['organization']>): OrganizationLink[] {
  const link = (page: string, title: string, about: string) => ({ href: `/organizations/${id}/${page}`, title, about });
  const members = roleAllows(role, 'changeMembers')
    ? 'Invite people, change their roles, remove them.'
    : 'Who is a member, and in which role.';
  return [
    link('settings', 'Organization', 'Its name, and your role in it.'),
    link('files', 'Files', 'The register and its history, for spreadsheets and programs.'),
    link('members', 'Members', members),
    ...(roleAllows(role, 'viewTokens')
      ? [
          link(
            'tokens',
            'Tokens and assistants',
            'Tokens and assistants with access to this organization, to revoke them.',
          ),
        ]
      : []),
    ...(roleAllows(role, 'readAccessLog')
      ? [link('access', 'Access log', 'Who signed in, used a token, or downloaded something.')]
      : []),
  ];
}
