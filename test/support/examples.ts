/** Runs the worked examples of the tools, each after those that make the records it names. */
import { controlId } from '../../src/commands/ids.ts';
import { fillExample, placeholdersIn } from '../../src/mcp/example.ts';
import type { Tool } from '../../src/mcp/tool.ts';

/** Calls a tool, and answers what it answered; throws where that is an error. */
export type CallTool = (tool: string, input: object) => Promise<Record<string, unknown>>;

/** An example as it was run. */
export interface ExampleRun {
  tool: Tool;
  input: Record<string, unknown>;
  answer: Record<string, unknown>;
}

const isAdd = ({ name, record }: Tool) => name === `add${record?.title}`;
/** What is made comes first, then what changes it, then what reads it; last what takes it out of sight. */
const turnOf = (tool: Tool) => (isAdd(tool) ? 0 : tool.destructive ? 3 : tool.readOnly ? 2 : 1);

/** All examples, in an organization that has nothing yet, in the order in which they ran. */
export async function runExamples(tools: readonly Tool[], call: CallTool): Promise<ExampleRun[]> {
  const today = new Date().toISOString().slice(0, 10);
  const ids = new Map<string, string>();
  const ran = new Map<Tool, ExampleRun>();
  const [organization] = (await call('listOrganizations', {})).organizations as { id: string }[];
  ids.set('organization', organization!.id);

  /** The id of the record that an example made; makes it first if need be. */
  async function provide(name: string): Promise<void> {
    if (ids.has(name)) return;
    // Controls come with their framework.
    const maker = name === 'control' ? 'framework' : name;
    const tool = tools.find((one) => isAdd(one) && one.record?.singular === maker);
    if (tool === undefined) throw new TypeError(`no example makes {${name}}`);
    await run(tool);
    if (name === 'control') ids.set(name, controlId(ids.get('framework')!, 0));
  }

  async function run(tool: Tool): Promise<void> {
    if (ran.has(tool)) return;
    for (const name of placeholdersIn(tool.example)) await provide(name);
    const input = fillExample(tool.example, (name) => ids.get(name)!, today);
    const answer = await call(tool.name, input);
    ran.set(tool, { tool, input, answer });
    if (isAdd(tool)) ids.set(tool.record!.singular, (answer[tool.record!.singular] as { id: string }).id);
  }

  for (const tool of tools.toSorted((a, b) => turnOf(a) - turnOf(b))) await run(tool);
  return [...ran.values()];
}
