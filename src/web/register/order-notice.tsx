import type { OrderNotices } from '../../queries/proofs/out-of-order.ts';

/** Says which events of the organization were recorded out of order. */
export function OrderNotice({ notices }: { notices: OrderNotices | null }) {
  if (notices === null) return null;
  const { events, runs, first } = notices;
  return (
    <section class="notice warning">
      <p>
        {events === 1 ? '1 event was' : `${events} events were`} recorded out of order. Either a clock was wrong, or
        somebody added them to the log. Ask the people that they name.
      </p>
      <ul>
        {first.map(({ from, text }) => (
          <li key={from}>{text}</li>
        ))}
        {runs > first.length && <li>and more, {runs} places in all</li>}
      </ul>
    </section>
  );
}
