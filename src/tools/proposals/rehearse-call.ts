import type { RehearsalHandler } from '../../commands/engine/rehearsal-handler.ts';
import type { Tool, ToolContext, ToolService } from '../tool.ts';

/** A call on a tool that writes. */
export interface WriteCall {
  tool: Tool;
  input: object;
  context: Omit<ToolContext, 'service' | 'tool'>;
}

/**
 * Makes a call as it would be made, but writes nothing. Returns its answer.
 * @param rehearsal further commands are decided on what those of earlier calls would have led to
 * @throws Refusal as the call does
 */
export async function rehearseCall(
  { tool, input, context }: WriteCall,
  service: ToolService,
  rehearsal: RehearsalHandler,
): Promise<object> {
  return tool.run(input, { ...context, tool, service: unwritten(service, rehearsal) });
}

/** Stands for the name of a person without an account, which a rehearsal doesn't store. */
const NO_NAME = `nam_${'0'.repeat(26)}`;

/** Returns the service for a rehearsal. Nothing that it "wrote" can be read. */
export function unwritten(service: ToolService, handler: RehearsalHandler): ToolService {
  return { ...service, handler, importedNames: { idOf: async () => NO_NAME }, waitUntilProjected: async () => false };
}
