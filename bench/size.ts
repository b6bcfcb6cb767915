import type { BenchRegister } from './bench-register.ts';
import { atMost, type Figure, figure } from './measure.ts';
import { MAX_INSTRUCTION_TOKENS, MAX_LIST_BYTES, MAX_LIST_TOKENS, partForModels, tokensOf } from './tokens.ts';

/** Tokens (cl100k) of the largest peer's list of tools, getprobo/probo: with 35 tools, and in its newest version. */
const PEER = { of35: 13_218, newest: 128_353 };

/** Measures tools/list: its cost for an assistant before the first question. */
export function sizeFigures({ register }: BenchRegister): Figure[] {
  const list = `{"tools":${register.tools.listJson()}}`;
  const tools = (JSON.parse(register.tools.listJson()) as unknown[]).length;
  const tokens = tokensOf(list);
  const forModels = tokensOf(partForModels(register.tools.listJson()));
  const instructions = tokensOf(register.tools.instructions);
  const about = `tools/list, ${tools} tools`;
  return [
    figure(`${about}, part that models read; baseline: its limit`, 'tokens', forModels, MAX_LIST_TOKENS, atMost(1)),
    figure(`${about}; baseline: its limit`, 'bytes', Buffer.byteLength(list), MAX_LIST_BYTES, atMost(1)),
    figure('instructions; baseline: their limit', 'tokens', instructions, MAX_INSTRUCTION_TOKENS, atMost(1)),
    figure(`${about}; baseline: a peer's 35 tools`, 'tokens', tokens, PEER.of35, atMost(1)),
    figure(`${about}; baseline: the peer's newest list`, 'tokens', tokens, PEER.newest, atMost(1 / 16)),
  ];
}
