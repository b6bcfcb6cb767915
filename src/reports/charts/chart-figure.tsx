/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

/** A chart's numbers, for people who can't see it. The first cell of each row is its heading. */
export interface ChartTable {
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

interface ChartFigureProps {
  /** The prefix of ids in the chart. Unique in a document. */
  id: string;
  title: string;
  width: number;
  height: number;
  table: ChartTable;
  /** The drawing. */
  children: ComponentChildren;
}

/** The width of a chart that fills a page of A4, in pixels. */
export const CHART_WIDTH = 720;

/** A chart with its title as caption. Screen readers get the table instead of the drawing. */
export function ChartFigure({ id, title, width, height, table, children }: ChartFigureProps) {
  return (
    <figure class="chart">
      <svg
        xmlns="http://www.w3.org/2000/svg"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-labelledby={`${id}-title ${id}-text`}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-text`}>The table after the chart has the same numbers.</desc>
        {children}
      </svg>
      <figcaption>{title}</figcaption>
      <HiddenTable title={title} table={table} />
    </figure>
  );
}

function HiddenTable({ title, table: { columns, rows } }: { title: string; table: ChartTable }) {
  return (
    <table class="chart-table">
      <caption>{title}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([heading, ...cells]) => (
          <tr key={heading}>
            <th scope="row">{heading}</th>
            {cells.map((cell, index) => (
              <td key={columns[index + 1]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
