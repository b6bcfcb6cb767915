import { SECOND_FACTOR_PAGE } from '../../identity/second-factor/required-factor.ts';
import { LongDay } from './components.tsx';

/** Tells a member from which day an organization requires a second factor that they lack. */
export function SecondFactorNotice({ organization, from }: { organization: string; from: string | null }) {
  if (from === null) return null;
  return (
    <p class="notice warning">
      {organization} requires a second factor from <LongDay at={from} />, and your account has none:{' '}
      <a href={SECOND_FACTOR_PAGE}>add one</a>.
    </p>
  );
}
