import { controlId, frameworkOfControl, MAX_CONTROL_INDEX } from '../../commands/engine/ids.ts';
import { modelOfId } from '../../projections/models.ts';
import { keysOf } from '../../projections/read-models/read-model.ts';
import { OPEN_END } from '../../projections/relations/related-counts.ts';
import { CONTROL } from '../../register/control.ts';
import { type Relation, type RelationOfRecord, relationsOfRecords } from '../../register/link.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { FamilyQuery } from '../family-query.ts';
import { type QueryContext, recordIdCondition, versionConditions } from '../moments/moment.ts';
import { readLinkPages } from './link-pages.ts';
import { documentsAt, linkedToCondition } from './record-links.ts';

type Document = Record<string, unknown>;

/** Turns the filters by linked records into conditions. @throws Refusal not_found */
export async function linkConditions(
  context: QueryContext,
  family: FamilyQuery,
  filter: Document,
): Promise<Condition[]> {
  return [
    ...(filter.linked_to === undefined ? [] : [await linkedToCondition(context, family, filter)]),
    ...(await linkedFrameworkConditions(context, filter)),
  ];
}

async function linkedFrameworkConditions(context: QueryContext, filter: Document): Promise<Condition[]> {
  const { linked_framework_id: frameworkIds, relation, include_archived } = filter;
  if (frameworkIds === undefined && relation === undefined) return [];
  const ranges = (frameworkIds as readonly string[] | undefined)?.map(controlsOf) ?? [ALL_CONTROLS];
  const rows: Document[] = [];
  for (const controls of ranges) for await (const row of controlLinks(context, controls, filter)) rows.push(row);
  const controls = await documentsAt(context, [...new Set(rows.map(({ record_id }) => String(record_id)))]);
  const counting = new Set(controls.filter((control) => include_archived || isLive(control)).map(({ id }) => id));
  const linked = rows.filter(({ record_id }) => counting.has(record_id)).map(({ other_id }) => String(other_id));
  return [recordIdCondition([...new Set(linked)], context.moment)];
}

const ALL_CONTROLS: Condition = { key: 'record_id', op: 'range', gte: `${CONTROL.prefix}_`, lt: `${CONTROL.prefix}~` };

function controlsOf(frameworkId: string): Condition {
  const [gte, lte] = [controlId(frameworkId, 0), controlId(frameworkId, MAX_CONTROL_INDEX)];
  return { key: 'record_id', op: 'range', gte, lte };
}

/**
 * Adds `linked_controls` to listed controls: the numbers of those by which the filters `linked_framework_id` and `relation`
 * found them, each with the relation to it.
 */
export async function withLinkedControls(
  context: QueryContext,
  filter: Document,
  controls: readonly Document[],
): Promise<readonly Document[]> {
  const { linked_framework_id: frameworkIds, relation, include_archived } = filter;
  const isFiltered = frameworkIds !== undefined || relation !== undefined;
  if (!isFiltered || controls.length === 0) return controls;
  const isWanted = (id: string) =>
    frameworkIds === undefined || (frameworkIds as readonly string[]).includes(frameworkOfControl(id));
  const rows: Document[] = [];
  const listed = { key: 'record_id', op: 'in', values: controls.map(({ id }) => String(id)) } as const;
  for await (const row of controlLinks(context, listed, filter)) {
    if (isWanted(String(row.other_id))) rows.push(row);
  }
  const linked = await documentsAt(context, [...new Set(rows.map(({ other_id }) => String(other_id)))]);
  const counting = linked.filter((control) => include_archived || isLive(control)).sort(byNumber);
  return controls.map((control) => {
    const relations = new Map(
      rows.filter(({ record_id }) => record_id === control.id).map(({ other_id, relation }) => [other_id, relation]),
    );
    const linked_controls = counting
      .filter(({ id }) => relations.has(id))
      .map(({ id, section_title }) => ({ section_title, relation: relations.get(id) }));
    return { ...control, linked_controls };
  });
}

const isLive = ({ archived_at }: Document): boolean => archived_at === null;

const NUMBER_KEY = keysOf(modelOfId(`${CONTROL.prefix}_`)!).section_title!;

function byNumber(a: Document, b: Document): number {
  return NUMBER_KEY.of(a)! < NUMBER_KEY.of(b)! ? -1 : 1;
}

/** Reads the rows of links from controls to controls that have one of the filter's relations. */
async function* controlLinks(
  { snapshot, organizationId, moment }: QueryContext,
  controls: Condition,
  filter: Document,
): AsyncGenerator<Document> {
  const relations = filter.relation === undefined ? null : relationsOfRecords(filter.relation as Relation[]);
  const current: Condition[] =
    moment.position === null
      ? [{ key: 'until_position', op: 'eq', value: OPEN_END }]
      : versionConditions(moment.position);
  const where: Condition[] = [controls, { key: 'other_type', op: 'eq', value: CONTROL.type }, ...current];
  const source = { organizationId, where };
  for await (const rows of readLinkPages(snapshot.models, source, { key: 'record_id', direction: 'ASC' })) {
    for (const { doc } of rows) {
      if (relations === null || relations.includes(doc.relation as RelationOfRecord)) yield doc;
    }
  }
}
