import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { REPORTING_SCHEMA } from '../../src/reporting/tables.ts';
import type { ReportingTable, ReportingView } from '../../src/stores/reporting-store.ts';
import { table } from './tables.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const RELATIONS: readonly (ReportingTable | ReportingView)[] = [...REPORTING_SCHEMA.tables, ...REPORTING_SCHEMA.views];

/** Makes docs/read-models.md, and the same schema for machines: as JSON, and as sources of dbt. */
export function makeReportingReference(): { page: string; path: string }[] {
  return [
    { page: makePage(), path: pathOf('../../docs/read-models.md') },
    { page: toJson(makeSchema()), path: pathOf('../../docs/read-models.json') },
    { page: makeSources(), path: pathOf('../../docs/sources.yml') },
  ];
}

function makePage(): string {
  const index = table(
    ['table', 'a row is'],
    RELATIONS.map(({ name, description }) => [`\`${name}\``, description]),
  );
  const template = readFileSync(pathOf('./read-models.md'), 'utf8');
  return template.replace('{{index}}', () => index).replace('{{tables}}', () => RELATIONS.map(section).join('\n\n'));
}

function section(relation: ReportingTable | ReportingView): string {
  const { name, description, columns } = relation;
  const key = 'key' in relation ? ` Key: ${relation.key.map((column) => `\`${column}\``).join(', ')}.` : '';
  const rows = columns.map((column) => [`\`${column.name}\``, column.type, column.description]);
  return `### ${name}\n\nA row is ${description}.${key}\n\n${table(['column', 'type', 'description'], rows)}`;
}

function makeSchema(): object {
  return {
    tables: RELATIONS.map((relation) => ({
      name: relation.name,
      type: 'key' in relation ? 'TABLE' : 'VIEW',
      description: `A row is ${relation.description}.`,
      ...('key' in relation ? { key: relation.key } : {}),
      columns: relation.columns.map(({ name, type, description }) => ({ name, type, description })),
    })),
  };
}

/** Returns JSON with short lists on one line, as the formatter of this project wants it. */
function toJson(value: object): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replace(/\[\s+("[^[\]{}]*")\s+\]/g, (_, items: string) => `[${items.replace(/\s*\n\s*/g, ' ')}]`)}\n`;
}

function makeSources(): string {
  const tables = RELATIONS.map(({ name, description, columns }) => ({
    name,
    description: `A row is ${description}.`,
    columns: columns.map((column) => ({
      name: column.name,
      data_type: column.type.toLowerCase(),
      description: column.description,
    })),
  }));
  const source = { name: 'veritrail', description: 'The reporting database of veritrail.', tables };
  return stringify({ version: 2, sources: [source] }, { lineWidth: 0 });
}
