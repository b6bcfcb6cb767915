import { nullable, string } from './event-schema.ts';

/** The members of an event that brings a past decision from an imported file. None of them is a person's name. */
export const importedMembers = {
  name_id: nullable(string()),
  source: nullable(string()),
};
