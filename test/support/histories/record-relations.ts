/**
 * Records a fixture of links between controls by the real handler on a store in memory, with a simulated clock. Run it by
 * hand, for a new file. The file's name is the frameworks', too:
 *
 *     npx tsx test/support/histories/record-relations.ts test/fixtures/events-NAME.jsonl
 */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Aggregate } from '../../../src/commands/engine/decider.ts';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { commandId, controlId, derivedId } from '../../../src/commands/engine/ids.ts';
import { recordAggregate } from '../../../src/commands/families.ts';
import { adoptionCommand } from '../../../src/commands/framework.ts';
import { linkAggregate } from '../../../src/commands/link.ts';
import { directedRelation, sortedPair } from '../../../src/register/link.ts';
import { MemoryEventStore } from '../stores/memory-event-store.ts';

const FIRST = Date.parse('2026-11-23T08:00:00.456Z');
const STEP_MS = 71 * 60_456;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file to write, test/fixtures/events-….jsonl.');
const NAME = basename(file, '.jsonl');

const idOf = (prefix: string, label: string) => derivedId(prefix, commandId([NAME], label));
const [organization_id, actor_id] = [idOf('org', 'organization'), idOf('acc', 'owner')];

const store = new MemoryEventStore();
let commands = 0;
const now = () => new Date(FIRST + commands * STEP_MS);
const handler = new CommandHandler(store, { now, maxAcceptanceDays: 366, simulated: true });

async function execute<Command>(aggregate: Aggregate<object, Command>, command: Command): Promise<void> {
  const { event_types } = await handler.execute(aggregate, command, {
    organization_id,
    actor_id,
    token_id: null,
    client: null,
    role: 'OWNER',
    command_id: commandId([NAME, 'command'], String(commands)),
    correlation_id: commandId([NAME, 'call'], String(commands)),
    input: command,
  });
  if (event_types.length === 0) throw new Error(`${aggregate.stream}: nothing was written`);
  commands++;
}

/** Adopts a framework of two controls and returns the first one's id. */
async function adopt(name: string): Promise<string> {
  const id = idOf('frm', name);
  const controls = [
    { section_title: '1', name: `${name}: passwords` },
    { section_title: '2', name: `${name}: doors` },
  ];
  await execute(recordAggregate(id), adoptionCommand(id, { name, controls }));
  return controlId(id, 0);
}

async function record(file: string): Promise<void> {
  const [first, second] = [await adopt(`${NAME} A`), await adopt(`${NAME} B`)];
  const ids = sortedPair(first, second);
  const aggregate = linkAggregate(...ids) as Aggregate<object, object>;
  const supports = directedRelation('SUPPORTS', first);
  const equivalent = directedRelation('EQUIVALENT', second);
  await execute(aggregate, { type: 'Link', ids, relation: supports });
  await execute(aggregate, { type: 'Link', ids, relation: equivalent, reason: 'Read side by side' });
  await execute(aggregate, { type: 'Unlink', ids, reason: 'B has a new version' });
  await execute(aggregate, { type: 'Link', ids, relation: directedRelation('PARTLY', second) });
  const lines = store.log.map(({ storePosition: _position, ...event }) => `${JSON.stringify(event)}\n`);
  writeFileSync(file, lines.join(''), { flag: 'wx' });
  console.log(`${lines.length} events in ${file}`);
}

await record(file);
