import type { CallContext } from '../../tools/tool.ts';
import type { ToolBox } from '../../tools/toolbox.ts';
import { ProtocolError, RPC_ERRORS } from './protocol-message.ts';

/** Calls a tool and parses its answer. @throws ProtocolError with the tool's refusal as its data */
export type CallTool = <T = Record<string, unknown>>(tool: string, args: object) => Promise<T>;

/**
 * Returns a function that calls tools for one caller. Prompts and resources read the register only through it, so they
 * have the caller's permissions and limits.
 */
export function toolCaller(tools: Pick<ToolBox, 'call'>, context: CallContext): CallTool {
  return async <T>(tool: string, args: object): Promise<T> => {
    const { json, status } = await tools.call(tool, args, context);
    const answer = JSON.parse(json);
    if (status === 200) return answer as T;
    const { error } = answer as { error: { message: string; retryable: boolean } };
    const code = error.retryable ? RPC_ERRORS.internalError : RPC_ERRORS.invalidParams;
    throw new ProtocolError(200, code, error.message, error);
  };
}
