import type { MemberSchemas, ValueSchema } from '../../../src/register/event-schema.ts';
import { EVENTS } from '../../../src/register/events.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';

/** Returns the faults of an event's data by the schema of its type and version, as sentences. Erased data has none. */
export function schemaFaults({ type, data, metadata }: Pick<TrailEvent, 'type' | 'data' | 'metadata'>): string[] {
  const schema = EVENTS[type]?.[metadata.schema_version - 1];
  if (schema === undefined) return [`${type} has no schema of version ${metadata.schema_version}`];
  return metadata.salt === '' ? [] : memberFaults(type, schema, data);
}

/** Unknown members are faults too: the service stores none, although readers allow them. */
function memberFaults(path: string, members: MemberSchemas, value: object): string[] {
  const actual = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(actual).filter((name) => !Object.hasOwn(members, name));
  return [
    ...unknown.map((name) => `${path}.${name} is not in the schema`),
    ...Object.entries(members).flatMap(([name, schema]) => {
      if (Object.hasOwn(actual, name)) return valueFaults(`${path}.${name}`, schema, actual[name]);
      return schema.optional ? [] : [`${path}.${name} is missing`];
    }),
  ];
}

function valueFaults(path: string, { type, nullable, items, members }: ValueSchema, value: unknown): string[] {
  if ((value === null && nullable) || type === 'any') return [];
  if (typeName(value) !== type) return [`${path} is ${typeName(value)}, not ${type}`];
  if (items) return (value as unknown[]).flatMap((item, index) => valueFaults(`${path}.${index}`, items, item));
  return members ? memberFaults(path, members, value as object) : [];
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}
