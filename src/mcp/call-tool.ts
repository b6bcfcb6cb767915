import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { ProtocolError } from './protocol-message.ts';
import type { CallContext } from './tool.ts';
import type { ToolBox } from './toolbox.ts';

/** Asks a tool and reads its answer. @throws ProtocolError with the tool's refusal as its data */
export type Ask = <T = Record<string, unknown>>(tool: string, args: object) => Promise<T>;

/**
 * What prompts and resources are made from: the tools themselves, for one caller. So both see what the caller's own
 * calls would show, within the same bounds, and nothing else.
 */
export function asking(tools: Pick<ToolBox, 'call'>, context: CallContext): Ask {
  return async <T>(tool: string, args: object): Promise<T> => {
    const { json, status } = await tools.call(tool, args, context);
    const answer = JSON.parse(json);
    if (status === 200) return answer as T;
    const { error } = answer as { error: { message: string; retryable: boolean } };
    const code = error.retryable ? ErrorCode.InternalError : ErrorCode.InvalidParams;
    throw new ProtocolError(200, code, error.message, error);
  };
}
