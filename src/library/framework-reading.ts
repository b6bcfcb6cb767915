import type { ControlReading } from './control-list.ts';

/** A framework as its file states it. */
export interface FrameworkReading extends ControlReading {
  /** Null if the file doesn't state it, as in a table. */
  name: string | null;
  version: string | null;
}
