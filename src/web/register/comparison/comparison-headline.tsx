import { familyOfType } from '../../../register/families.ts';
import type { Comparison } from '../../../reports/comparison/compare-moments.ts';
import { familyHeading } from '../rail-links.ts';

/**
 * The comparison in words: what got worse, what got better, and what is neither. The query wrote the phrases.
 * @param props.owner the name of the person whose records are compared; null for everyone's
 */
export function ComparisonHeadline({ comparison, owner }: { comparison: Comparison; owner: string | null }) {
  const { worse, better, other } = comparison.headline;
  const scope = scopeText(comparison, owner);
  return (
    <div class="lead">
      {scope !== null && <p>{scope}:</p>}
      <Phrases outcome="worse" title="Worse" phrases={worse} />
      <Phrases outcome="better" title="Better" phrases={better} />
      <Phrases outcome="other" title={worse.length + better.length > 0 ? 'Also' : null} phrases={other} />
    </div>
  );
}

function Phrases(props: { outcome: string; title: string | null; phrases: readonly string[] }) {
  const { outcome, title, phrases } = props;
  if (phrases.length === 0) return null;
  return (
    <p>
      {title !== null && <b class={outcome}>{title}: </b>}
      {phrases.join('; ')}.
    </p>
  );
}

/** Returns the filters in words, such as "Only risks owned by Mateo Vargas". Null without filters. */
function scopeText({ recordTypes }: Comparison, owner: string | null): string | null {
  if (recordTypes === undefined && owner === null) return null;
  const families = recordTypes?.map((type) =>
    familyHeading(familyOfType(type) ?? { type, plural: type }).toLowerCase(),
  );
  return `Only ${families?.join(', ') ?? 'records'}${owner === null ? '' : ` owned by ${owner}`}`;
}
