import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILIES } from '../../src/commands/families.ts';
import { FAMILY_MODELS } from '../../src/projections/models.ts';
import { collectionsOf } from '../../src/projections/read-models/collections.ts';
import { keysOf } from '../../src/projections/read-models/read-model.ts';
import { FAMILY_DESCRIPTIONS, linkablePrefixes, RECORD_PREFIXES } from '../../src/register/families.ts';
import type { FamilyDescription } from '../../src/register/family-description.ts';
import type { Field } from '../../src/register/field.ts';
import { type FigureDefinition, listedFigures } from '../../src/register/figure.ts';

const descriptions = suite('descriptions of families');

/** Returns all fields of a family with their paths, members of objects included. */
function fieldsOf({ fields }: FamilyDescription): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [name, field],
    ...(field.kind === 'object'
      ? Object.entries(field.fields).map(([member, inner]): [string, Field] => [`${name}.${member}`, inner])
      : []),
  ]);
}

/** Returns the stored keys that a figure needs. */
function keysOfFigure({ where = [], days, sum }: FigureDefinition): string[] {
  return [...where.map(({ key }) => key), ...(days ? [days.key] : []), ...(sum ? [sum] : [])];
}

descriptions('figures have names of their own', () => {
  const figures = FAMILY_DESCRIPTIONS.flatMap((family) => [
    ...listedFigures(family),
    ...(family.figures.unlisted ?? []),
  ]);
  assert.is(new Set(figures.map(({ name }) => name)).size, figures.length);
});

descriptions('names, plurals and prefixes of ids are unique', () => {
  for (const name of ['type', 'title', 'singular', 'plural', 'prefix'] as const) {
    const values = FAMILY_DESCRIPTIONS.map((family) => family[name]);
    assert.equal([...new Set(values)], values, name);
  }
});

for (const family of FAMILY_DESCRIPTIONS) {
  const { type, fields } = family;
  const { model } = FAMILY_MODELS.find((candidate) => candidate.family.type === type)!;
  const keys = Object.keys(keysOf(model));

  descriptions(`${type}: people see a label for every field and a readable text for every value`, () => {
    for (const [path, field] of fieldsOf(family)) {
      assert.match(field.label, /^[A-Z0-9]/, path);
      if (field.kind !== 'enum') continue;
      assert.equal([...new Set(field.values)], field.values, path);
      for (const value of field.values) assert.match(field.labels?.[value] ?? value, /^[A-Z]/, `${path}: ${value}`);
    }
  });

  descriptions(`${type}: each order, filter, fact of the day and due item names a stored key`, () => {
    for (const name of family.orders) assert.ok(keys.includes(name), name);
    for (const name of family.leadingIndexKeys ?? []) assert.ok(keys.includes(name), name);
    for (const [name, filter] of Object.entries(family.filters ?? {})) {
      assert.ok(keys.includes(filter.key), `${name}: ${filter.key}`);
      assert.not(fields[name]?.filter, `${name} is a filter twice`);
    }
    for (const [path, field] of fieldsOf(family)) {
      if (field.kind === 'past') assert.ok(keys.includes(field.key), path);
    }
    for (const { name, date, key } of family.dueItems ?? []) assert.ok(keys.includes(key ?? date), name);
  });

  descriptions(`${type}: lists can ask for the records that its filters leave out`, () => {
    const { filtersLeaveOut } = family;
    if (filtersLeaveOut !== undefined) assert.ok(fields[filtersLeaveOut.field]!.filter);
  });

  descriptions(`${type}: its figures count by stored keys, and shares are of figures above them`, () => {
    const { groupBy, unlisted = [] } = family.figures;
    for (const key of groupBy) assert.ok(keys.includes(key), key);
    const names: string[] = [];
    for (const figure of [...listedFigures(family), ...unlisted]) {
      if ('share' in figure) for (const name of figure.share) assert.ok(names.includes(name), name);
      else for (const key of keysOfFigure(figure)) assert.ok(keys.includes(key), `${figure.name}: ${key}`);
      names.push(figure.name);
    }
  });

  descriptions(`${type}: every filter of a field is answered from the first index alone`, () => {
    const [{ indexes }] = collectionsOf(model) as [ReturnType<typeof collectionsOf>[number]];
    const first = indexes[0]!;
    const covered = [...first.keys, ...(first.covers ?? [])];
    for (const [name, { filter, kind, naturalOrder }] of Object.entries(fields)) {
      if (!filter || kind === 'past') continue;
      assert.ok(covered.includes(naturalOrder ? `${name}_text` : name), name);
    }
    for (const { key } of Object.values(family.filters ?? {})) assert.ok(covered.includes(key), key);
  });

  descriptions(`${type}: a record without a state gets one that a new record may have`, () => {
    const { workflow } = family;
    if (workflow?.first !== undefined)
      assert.ok(workflow.first.states.includes(String(fields[workflow.field]!.initial)));
  });

  descriptions(`${type}: its events are its own, and its records begin with the initial values`, () => {
    for (const event of Object.keys(family.events)) assert.ok(event.startsWith(family.title), event);
    for (const [name, value] of Object.entries(FAMILIES[type].initialState)) {
      if (name !== 'archived_at') assert.equal(value, fields[name]!.initial ?? null, name);
    }
  });

  descriptions(`${type}: its links name existing families, in both directions`, () => {
    const { links = [] } = family;
    const types = FAMILY_DESCRIPTIONS.map((other) => other.type as string);
    if (links !== 'EVERY_FAMILY') for (const other of links) assert.ok(types.includes(other), other);
    for (const other of RECORD_PREFIXES) {
      const [there, back] = [linkablePrefixes(family.prefix), linkablePrefixes(other)];
      assert.is(there.includes(other), back.includes(family.prefix), other);
    }
    assert.is(
      linkablePrefixes(family.prefix).includes(family.prefix),
      type === 'CONTROL',
      'only controls with their own',
    );
  });
}

descriptions('a link between two families is stated in one of them', () => {
  const stated = FAMILY_DESCRIPTIONS.flatMap(({ type, links = [] }) =>
    links === 'EVERY_FAMILY' ? [] : links.map((other) => [type, other].sort().join()),
  );
  assert.equal([...new Set(stated)], stated);
});

descriptions.run();
