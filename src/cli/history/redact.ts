import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { eventLine } from '../../trail/check/line.ts';
import { LineSplitter } from '../../trail/check/line-splitter.ts';
import { readNumberedLine } from '../../trail/check/verifier.ts';
import { isSealStreamEvent } from '../../trail/seals/seal-events.ts';
import { type Command, CommandError, onlyArgument, outputOf, UsageError } from '../command.ts';
import { readPieces, writeLines } from './files.ts';

export const redact: Command = {
  help: `Usage: veritrail redact FILE --event ID --to FILE

Writes a copy of an export without the data of some events, for example to remove a person's data. All chains and seals still
verify, and "veritrail verify" lists the redacted events. FILE and the register don't change. Seals can't be redacted. A
redacted export can be verified, but not restored.

  --event ID    the event's id: "event_id" in an answer of listChanges with verify: true, or "event.id" in a line of FILE.
                May be repeated
  --to FILE     the file to write; - writes to standard output, for a pipe`,

  async run(args, shell) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { event: { type: 'string', multiple: true }, to: { type: 'string' } },
    });
    const from = resolve(shell.cwd, onlyArgument(positionals, 'the FILE to redact'));
    if (values.event === undefined) throw new UsageError('Name at least one event: --event ID.');
    const to = outputOf(values.to, shell);
    const ids = new Set(values.event);
    await writeLines(to.target, redactLines(readPieces(from), ids));
    to.report(`Wrote ${to.name} without the data of ${ids.size} ${ids.size === 1 ? 'event' : 'events'}.`);
  },
};

/** Yields an export's lines without the data and salts of these events. @throws CommandError if one is missing */
async function* redactLines(pieces: AsyncIterable<Uint8Array>, ids: ReadonlySet<string>): AsyncGenerator<string[]> {
  const splitter = new LineSplitter();
  const missingIds = new Set(ids);
  let number = 0;
  const redactNextLine = (text: string) => {
    number += 1;
    return redactLine(text, number, missingIds);
  };
  for await (const piece of pieces) yield [...splitter.push(piece)].map(redactNextLine);
  const lastLine = splitter.remainingLine();
  if (lastLine !== null) yield [redactNextLine(lastLine)];
  if (missingIds.size > 0) {
    throw new CommandError(
      `The file has no event ${[...missingIds].join(', ')}. An event's id is "event_id" in an answer of listChanges with ` +
        'verify: true, and "event.id" in a line of the file.',
    );
  }
}

/** Returns a line, without its event's data if `missingIds` has the event. Removes its id there. */
function redactLine(text: string, number: number, missingIds: Set<string>): string {
  const line = readNumberedLine(text, number);
  if (line.kind !== 'EVENT' || !missingIds.delete(line.event.id)) return text;
  const { event } = line;
  if (isSealStreamEvent(event)) {
    throw new CommandError(
      `${event.id} belongs to the seals and can’t be redacted, because the export couldn’t be verified without it.`,
    );
  }
  return eventLine(line.position, { ...event, data: {}, metadata: { ...event.metadata, salt: '' } });
}
