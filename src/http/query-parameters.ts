import type { ParameterizedContext } from 'koa';
import { invalidInput } from './http-errors.ts';

/** Lists in a file's filters have one parameter for each value: about 400 at most. */
const MAX_QUERY_PARAMETERS = 500;

/** Returns the query parameters. Each lookup scans all of them, so there is a limit. @throws HttpError 400 for too many */
export function readQueryParameters(ctx: Pick<ParameterizedContext, 'querystring'>): URLSearchParams {
  const query = new URLSearchParams(ctx.querystring);
  if (query.size <= MAX_QUERY_PARAMETERS) return query;
  throw invalidInput(`The address has more than ${MAX_QUERY_PARAMETERS} query parameters. Send fewer, or use POST.`);
}
