import { EventEmitter } from 'node:events';
import type { PageRequest } from '../../../src/web/server/page-request.ts';
import type { WebTest } from './web.ts';

/** Returns the first owner's request for a page below the organization's, with a connection that is closed already. */
export function closedRequest(web: WebTest, params: Record<string, string>, query = ''): PageRequest {
  const response = Object.assign(new EventEmitter(), { destroyed: true, writableFinished: false });
  return {
    ctx: { path: `/organizations/${web.organizationId}`, res: response },
    params: { id: web.organizationId, ...params },
    query: new URLSearchParams(query),
    person: { account: { id: web.ownerId } },
  } as unknown as PageRequest;
}
