import type { ParameterizedContext } from 'koa';
import { invalidInput } from './http-errors.ts';

/** A file's filters take each value of a list as a parameter of its own: about 400 at most. */
const MAX_QUERY_PARAMETERS = 500;

/** Returns the parameters of an address. Readers look each one up among all. @throws HttpError 400 for too many */
export function readQueryParameters(ctx: Pick<ParameterizedContext, 'querystring'>): URLSearchParams {
  const query = new URLSearchParams(ctx.querystring);
  if (query.size <= MAX_QUERY_PARAMETERS) return query;
  throw invalidInput(`The address has more than ${MAX_QUERY_PARAMETERS} query parameters. Send fewer, or use POST.`);
}
