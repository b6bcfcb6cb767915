import type { z } from 'zod';
import { PERMISSIONS } from '../../commands/organization/permissions.ts';
import { InputParser } from '../schema/input.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import { publishedSchema } from '../schema/publish.ts';
import type { Tool, ToolDefinition } from './tool.ts';

/** Defines a tool. `run` gets the type that the input schema parses. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool<Schema> {
  let published: JsonSchema | undefined;
  return {
    ...definition,
    readOnly: !PERMISSIONS[definition.permission].writes,
    destructive: definition.destructive ?? false,
    parser: new InputParser(definition.input),
    get publishedInput() {
      published ??= publishedSchema(definition.input);
      return published;
    },
  };
}
