/** Runs the examples of all tools, each one after the examples that create its records. */
import { controlId } from '../../../src/commands/engine/ids.ts';
import { FAMILY_TOOLS } from '../../../src/tools/all-family-tools.ts';
import { fillExample, placeholdersIn } from '../../../src/tools/schema/example.ts';
import type { Tool } from '../../../src/tools/tool.ts';

/** Calls a tool and returns its answer. Throws if the answer is an error. */
export type CallTool = (tool: string, input: object) => Promise<Record<string, unknown>>;

/** An example that ran, with its real input and answer. */
export interface ExampleRun {
  tool: Tool;
  input: Record<string, unknown>;
  answer: Record<string, unknown>;
}

const ADD_TOOLS = new Set<Tool | undefined>(FAMILY_TOOLS.map(({ add }) => add));
/** Archives records, so a test that goes on with them leaves it out. */
export const isArchiving = ({ name }: Pick<Tool, 'name'>) => name === 'archiveRecords';
/** Returns true for tools that write and leave all records in lists. */
export const isKeeping = (tool: Tool) => !tool.readOnly && !isArchiving(tool);
const isAdd = (tool: Tool) => ADD_TOOLS.has(tool);
/** Order of tools: first those that add, then those that change, then reads, and last those that archive. */
const phaseOf = (tool: Tool) => (isAdd(tool) ? 0 : isArchiving(tool) ? 3 : tool.readOnly ? 2 : 1);

/** Runs all examples in an empty organization. Returns them in the order in which they ran. */
export async function runExamples(tools: readonly Tool[], call: CallTool): Promise<ExampleRun[]> {
  const today = new Date().toISOString().slice(0, 10);
  const ids = new Map<string, string>();
  const runs = new Map<Tool, ExampleRun>();
  const [organization] = (await call('listOrganizations', {})).organizations as { id: string }[];
  ids.set('organization', organization!.id);

  /** Runs the example that creates the named record, if it has not run yet. */
  async function createRecord(name: string): Promise<void> {
    if (ids.has(name)) return;
    // Controls come with their framework.
    const source = name === 'control' ? 'framework' : name;
    const tool = tools.find((candidate) => isAdd(candidate) && candidate.record?.singular === source);
    if (tool === undefined) throw new TypeError(`no add tool creates {${name}}`);
    await run(tool);
    if (name === 'control') ids.set(name, controlId(ids.get('framework')!, 0));
  }

  async function run(tool: Tool): Promise<void> {
    if (runs.has(tool)) return;
    for (const name of placeholdersIn(tool.example)) await createRecord(name);
    const input = fillExample(tool.example, (name) => ids.get(name)!, today);
    const answer = await call(tool.name, input);
    runs.set(tool, { tool, input, answer });
    if (isAdd(tool)) ids.set(tool.record!.singular, (answer[tool.record!.singular] as { id: string }).id);
  }

  for (const tool of tools.toSorted((a, b) => phaseOf(a) - phaseOf(b))) await run(tool);
  return [...runs.values()];
}
