import { may } from '../commands/roles.ts';
import type { Page } from './page.ts';

export interface OrganizationLink {
  href: string;
  title: string;
  /** What one goes there for. */
  about: string;
}

/** Those of an organization's pages beside its overview that are for this role. */
export function organizationLinks({ id, role }: NonNullable<Page['organization']>): OrganizationLink[] {
  const link = (page: string, title: string, about: string) => ({ href: `/organizations/${id}/${page}`, title, about });
  const members = may(role, 'changeMembers') ? 'invite people, change their roles, take them out' : 'who they are';
  return [
    ...(may(role, 'getReport')
      ? [link('reports', 'Reports', 'registers, reviews and audit packs to print or send')]
      : []),
    link('files', 'Files', 'registers and their history as tables and lines, for spreadsheets and programs'),
    link('members', 'Members', members),
    ...(may(role, 'seeTokens')
      ? [link('tokens', 'Tokens and assistants', 'what may call tools here, whoever made it')]
      : []),
    ...(may(role, 'listChanges ACCESS') ? [link('access', 'Access log', 'who signed in, and what was used when')] : []),
  ];
}
