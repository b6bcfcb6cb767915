import { roleAllows } from '../../commands/organization/permissions.ts';
import type { WebPage } from './web-page.ts';

export interface OrganizationLink {
  href: string;
  title: string;
  /** Says what the page is for. */
  about: string;
}

/** Returns links to the organization's settings that this role may open. The first is their overview. */
export function settingsLinks({ id, role }: NonNullable<WebPage['organization']>): OrganizationLink[] {
  const link = (page: string, title: string, about: string) => ({ href: `/organizations/${id}/${page}`, title, about });
  const members = roleAllows(role, 'changeMembers')
    ? 'invite people, change their roles, remove them'
    : 'who is a member, and in which role';
  return [
    link('settings', 'Organization', 'its name, and your role in it'),
    link('files', 'Files', 'the register and its history as CSV or JSON Lines, for spreadsheets and programs'),
    link('members', 'Members', members),
    ...(roleAllows(role, 'viewTokens')
      ? [
          link(
            'tokens',
            'Tokens and assistants',
            'API tokens and connected assistants with access to this organization',
          ),
        ]
      : []),
    ...(roleAllows(role, 'readAccessLog') ? [link('access', 'Access log', 'sign-ins, token use and downloads')] : []),
  ];
}
