import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import type { z } from 'zod';
import { clientOf } from '../../mcp/protocol/protocol-message.ts';
import { publishedFilters } from '../../tools/schema/json-schema.ts';
import type { ToolBox } from '../../tools/toolbox.ts';
import { type Admit, admitAfterWait } from '../access/admission.ts';
import type { ScopeGuard } from '../access/challenge.ts';
import type { Penalties } from '../access/rate-limits.ts';
import { parseJson, readBody, requireJson } from '../body.ts';
import { readFilter } from '../files/file-query.ts';
import { HttpError, invalidInput, methodNotAllowed, notFound } from '../http-errors.ts';
import type { RequestContext, RequestState } from '../request.ts';
import { clientSignal } from '../request.ts';

/** The direct form: one address per tool. Inputs are a JSON object, or query parameters for tools that read. */
export function directToolRoutes(
  router: Router<RequestState>,
  { tools, publicUrl }: { tools: ToolBox; publicUrl?: string | undefined },
  admit: Admit,
  requireScope: ScopeGuard,
  penalties: Penalties,
): void {
  router.all('/api/mcp/tools/:name', async (ctx) => {
    const admitted = await admit(ctx.req);
    ctx.state.account = admitted.account_id;
    const name = ctx.params.name ?? '';
    if (!tools.has(name)) throw notFound('There is no tool of this name. tools/list names them all.');
    ctx.state.tool = name;
    requireScope(admitted, name, ctx.req);
    const readInput = inputReader(ctx, tools.isReadOnly(name), () => tools.inputOf(name));
    await penalties.run(
      admitted,
      () => readBody(ctx.req),
      async (body) => {
        const caller = await admitAfterWait(admit, ctx.req, admitted);
        const input = readInput(body);
        const client = clientOf('legacy', {}, ctx.headers);
        const context = { caller: { ...caller, client }, signal: clientSignal(ctx.res), publicUrl };
        const { json, status, isInvalidCall, retryAfter } = await tools.call(name, input, context);
        ctx.status = status;
        if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
        ctx.type = 'json';
        ctx.body = json;
        return isInvalidCall ?? false;
      },
    );
  });
}

type ReadInput = (body: Buffer) => object;

/** Returns the reader of a call's inputs: from the body, or from the query. @throws HttpError 405 for another method */
function inputReader(ctx: RequestContext, readOnly: boolean, inputOf: () => z.ZodObject): ReadInput {
  const { method } = ctx.req;
  if (method === 'POST') return (body) => readObject(ctx.req, body);
  if (!readOnly) throw methodNotAllowed('POST');
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed('GET, POST');
  return (body) => {
    if (body.length > 0 && body.toString('latin1').trim() !== '{}') {
      throw invalidInput('A GET takes its inputs as query parameters. Send them there, or use POST.');
    }
    return readQuery(new URLSearchParams(ctx.querystring), inputOf());
  };
}

/** Reads a POST's inputs. No body counts as an empty object. */
function readObject(request: IncomingMessage, body: Buffer): object {
  if (body.length === 0) return {};
  requireJson(request);
  let input: unknown;
  try {
    input = parseJson(body);
  } catch (error) {
    throw error instanceof HttpError ? error : invalidInput('The body is not JSON.');
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalidInput('The body must be a JSON object of the tool’s inputs.');
  }
  return input;
}

/**
 * Reads inputs from the query, and filters by their own names. A list has one parameter for each value. The tool reads the
 * texts as the types that it expects.
 */
function readQuery(query: URLSearchParams, schema: z.ZodObject): object {
  const { shape } = schema;
  const filters = publishedFilters(schema);
  const isFilter = (name: string) => name === 'filter' || (!Object.hasOwn(shape, name) && Object.hasOwn(filters, name));
  const names = new Set([...query.keys()].filter((name) => !isFilter(name)));
  const input = Object.fromEntries([...names].map((name) => [name, oneOrAll(query.getAll(name))]));
  const filterQuery = new URLSearchParams([...query].filter(([name]) => isFilter(name)));
  return filterQuery.size === 0 ? input : { ...input, filter: readFilter(filterQuery, filters) };
}

const oneOrAll = (values: readonly string[]) => (values.length === 1 ? values[0] : values);
