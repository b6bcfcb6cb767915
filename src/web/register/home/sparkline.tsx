/** Space above and below the line, so that its stroke is not cut. */
const MARGIN = 1;
const HEIGHT = 20;

/** A number's values at the end of each day, as a line that changes by steps. @param values at least two */
export function Sparkline({ values }: { values: readonly number[] }) {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const width = values.length - 1;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={lowest === highest ? `always ${lowest}` : `lowest ${lowest}, highest ${highest}`}
    >
      <path d={stepPath(values, lowest, highest)} vector-effect="non-scaling-stroke" />
    </svg>
  );
}

/** Returns a path with a corner for each change of the value. Days without a change add nothing to the page. */
function stepPath(values: readonly number[], lowest: number, highest: number): string {
  const scale = (HEIGHT - 2 * MARGIN) / Math.max(1, highest - lowest);
  const yOf = (value: number) => Math.round((HEIGHT - MARGIN - (value - lowest) * scale) * 10) / 10;
  const steps = values.map((value, index) =>
    index > 0 && value !== values[index - 1] ? `H${index}V${yOf(value)}` : '',
  );
  return `M0 ${yOf(values[0]!)}${steps.join('')}H${values.length - 1}`;
}
