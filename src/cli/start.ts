import { parseArgs } from 'node:util';
import { serve } from '../app/serve.ts';
import { type Command, CommandError } from './command.ts';

export const start: Command = {
  help: `Usage: veritrail start [--demo]

Starts the service and prints its address. Ctrl+C stops it. In a clone, npm start does the same.

  --demo    fill empty stores with a made-up organization first`,

  async run(args) {
    const { values } = parseArgs({ args, options: { demo: { type: 'boolean', default: false } } });
    await serve(values).catch((error: unknown) => {
      throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
    });
  },
};
