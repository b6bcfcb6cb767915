import type { Result } from '@modelcontextprotocol/server';
import type { ProtocolAnswer } from './mcp-exchange.ts';
import type { RequestId } from './protocol-message.ts';

/** The key of a result's prepared members. It is a symbol, so the SDK copies them and neither checks nor serializes them. */
export const PREPARED = Symbol('prepared members');

export interface PreparedMembers {
  /** JSON from the first of these members to the end of the message: `"tools":[…]}}`. */
  text: string | Buffer;
  /** True if the input of the called tool was invalid. */
  isInvalidCall?: boolean;
}

/** A result of the SDK, to which prepared members can belong. */
export type PreparedResult = Result & { [PREPARED]?: PreparedMembers };

/** Returns the answer with a result: the members that the SDK knows, and then the prepared ones. */
export function resultAnswer(id: RequestId, result: PreparedResult): ProtocolAnswer {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const members = JSON.stringify(result);
  const prepared = result[PREPARED];
  if (prepared === undefined) return { status: 200, text: `${start}${members}}` };
  const { text, isInvalidCall = false } = prepared;
  const open = `${start}${members.slice(0, -1)}${members === '{}' ? '' : ','}`;
  if (typeof text === 'string') return { status: 200, text: open + text, isInvalidCall };
  return { status: 200, text: open, rest: text, isInvalidCall };
}
