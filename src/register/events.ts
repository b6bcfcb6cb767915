import { AUDIT_EVENTS } from './audit.ts';
import { CONTROL_EVENTS } from './control.ts';
import type { EventSchemas } from './event-schema.ts';
import { EVIDENCE_EVENTS } from './evidence.ts';
import { FRAMEWORK_EVENTS } from './framework.ts';
import { LINK_EVENTS } from './link.ts';
import { MEASURE_EVENTS } from './measure.ts';
import { NONCONFORMITY_EVENTS } from './nonconformity.ts';
import { OBLIGATION_EVENTS } from './obligation.ts';
import { ORGANIZATION_EVENTS } from './organization.ts';
import { RISK_EVENTS } from './risk.ts';
import { SEAL_EVENTS } from './seal.ts';
import { VENDOR_EVENTS } from './vendor.ts';

/** The events of each kind of stream. A stream's name begins with its kind: `vendor-<id>`. */
export const EVENTS_BY_STREAM = {
  organization: ORGANIZATION_EVENTS,
  vendor: VENDOR_EVENTS,
  risk: RISK_EVENTS,
  measure: MEASURE_EVENTS,
  obligation: OBLIGATION_EVENTS,
  nonconformity: NONCONFORMITY_EVENTS,
  framework: FRAMEWORK_EVENTS,
  control: CONTROL_EVENTS,
  audit: AUDIT_EVENTS,
  evidence: EVIDENCE_EVENTS,
  link: LINK_EVENTS,
  seal: SEAL_EVENTS,
} as const satisfies Readonly<Record<string, EventSchemas>>;

/** Every event type that this version writes and reads, with the schemas of its data. */
export const EVENTS: EventSchemas = Object.assign({}, ...Object.values(EVENTS_BY_STREAM));

/** Returns the schema version that new events of a type are written in. */
export function newestVersion(type: string): number {
  return EVENTS[type]?.length ?? 1;
}
