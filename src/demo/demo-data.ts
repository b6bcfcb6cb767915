import { readFileSync } from 'node:fs';
import { FAMILIES } from '../commands/families.ts';
import type { Role } from '../commands/organization/caller.ts';
import type { FamilyName } from '../register/families.ts';
import type { DemoClock } from './clock.ts';

export interface DemoOrganization {
  name: string;
  founded_on: string;
  /** Set the register up, and is in no story, because a set-up link gives this account to whoever opens it. */
  first_owner: string;
  people: readonly DemoPerson[];
}

export interface DemoPerson {
  /** The account's id is derived from it, so it stays when a name changes. */
  key: string;
  name: string;
  role: Role;
  /** One sentence about what they look for in the register. The page of the demo shows it. */
  interest: string;
  joined_on: string;
}

/** A command of the past. Fields that refer to records or people hold names. */
export interface StoryStep {
  on: string;
  /** The name of the person who made the change. */
  by: string;
  /** The program that made the change for the person. Absent for a change in the browser. */
  via?: string;
  /** The record's command, such as `{ "type": "DecideRisk", … }`, or one that the demo adds: see `play-demo.ts`. */
  type: string;
  [member: string]: unknown;
}

/** All commands on one record, in order; with several names, on each of these records. */
export interface Story {
  family: FamilyName;
  /** Unique names, by which other stories refer to the records. A control's name is its number. */
  names: readonly string[];
  steps: readonly StoryStep[];
}

interface StoryEntry {
  name: string | readonly string[];
  steps: readonly StoryStep[];
}

export function readOrganization(clock: DemoClock): DemoOrganization {
  return readData('organization', clock);
}

/** Reads the stories of all families. Steps of one day happen in this order. */
export function readStories(clock: DemoClock): Story[] {
  return Object.values(FAMILIES).flatMap(({ type: family, plural }) =>
    readData<StoryEntry[]>(plural, clock).map(({ name, steps }) => ({ family, names: [name].flat(), steps })),
  );
}

/** Reads a data file. Its relative days become dates. */
function readData<Data>(file: string, clock: DemoClock): Data {
  const text = readFileSync(new URL(`./data/${file}.json`, import.meta.url), 'utf8');
  return JSON.parse(text, (_, value) => (typeof value === 'string' ? clock.date(value) : value));
}
