import type { StandardSchemaV1Sync } from '@modelcontextprotocol/server';
import { invalidParams } from './protocol-message.ts';

const MAX_FIELD_CHARACTERS = 100;

/**
 * Checks parameters by the SDK's schema for them. A handler's check within the SDK would answer as if the service had
 * failed, and repeat the client's text in any length.
 * @param rule a sentence for the error, which also names the first incorrect member
 * @throws ProtocolError
 */
export function checkParams<Input, Params>(
  schema: StandardSchemaV1Sync<Input, Params>,
  params: unknown,
  rule: string,
): Params {
  const checked = schema['~standard'].validate(params);
  if (checked.issues === undefined) return checked.value;
  const path = checked.issues[0]?.path ?? [];
  const field = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  throw invalidParams(`${rule} Correct ${field.slice(0, MAX_FIELD_CHARACTERS)}.`);
}
