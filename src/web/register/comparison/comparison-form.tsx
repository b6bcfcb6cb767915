import { addressWith } from '../../../addresses/page-addresses.ts';
import type { Member } from '../../../identity/memberships/members.ts';
import { BLANK_FORM } from '../../server/form-state.ts';
import { MomentSelect } from '../moments/moment-select.tsx';
import { quarterEnds } from '../moments/quarter-ends.ts';
import type { RegisterView } from '../open-register.ts';
import { ReportField, type ReportFieldChoices, reportFieldChoices } from '../reports/report-fields.tsx';
import type { ComparedAddresses } from './compared-addresses.ts';

const QUARTERS_OFFERED = 2;

/** The filters of the report CHANGES_BETWEEN. */
const FILTERS = ['record_types', 'owner_id'] as const;

const NO_RECORDS = { choices: [], isCut: false };

interface ComparisonFormProps {
  view: RegisterView;
  addresses: ComparedAddresses;
  members: readonly Member[];
}

/** Chooses the two moments and the records. Sent by GET, so that the address holds them. */
export function ComparisonForm({ view, addresses, members }: ComparisonFormProps) {
  const records = { audits: NO_RECORDS, frameworks: NO_RECORDS };
  const choices = reportFieldChoices(records, members, view.caller.account_id);
  return (
    <>
      <form method="get" action={view.path} class="inline filters" aria-label="Comparison">
        <MomentSelect name="from" label="From" value={addresses.from} none="Choose a moment" choice={view} />
        <MomentSelect name="until" label="Until" value={addresses.until ?? ''} none="Today" choice={view} />
        <FilterFields addresses={addresses} choices={choices} />
        <button type="submit">Compare</button>
      </form>
      <QuarterChips view={view} addresses={addresses} />
    </>
  );
}

/** The same fields as in the report's form. */
function FilterFields({ addresses, choices }: { addresses: ComparedAddresses; choices: ReportFieldChoices }) {
  const values = new Map(FILTERS.map((name) => [name as string, [addresses[name] ?? '']]));
  const form = { ...BLANK_FORM, values };
  return (
    <>
      {FILTERS.map((name) => (
        <ReportField key={name} form={form} name={name} required={false} choices={choices} groupings={[]} />
      ))}
    </>
  );
}

/** Links that compare today, or the end of a quarter, with the end of the quarter before. They keep the filters. */
function QuarterChips({ view, addresses }: Omit<ComparisonFormProps, 'members'>) {
  const ends = quarterEnds(view.snapshot.today()).slice(0, QUARTERS_OFFERED + 1);
  const periods = [
    { from: ends[0]!.day, until: null, text: 'This quarter so far' },
    ...ends.slice(0, QUARTERS_OFFERED).map(({ day, quarter }, index) => {
      return { from: ends[index + 1]!.day, until: day, text: `${quarter} against the quarter before` };
    }),
  ];
  return (
    <ul class="plain chips">
      {periods.map(({ from, until, text }) => (
        <li key={text}>
          <a
            class="chip"
            href={addressWith(view.path, { ...addresses, from, until })}
            aria-current={addresses.from === from && addresses.until === until ? 'true' : undefined}
          >
            {text}
          </a>
        </li>
      ))}
      {FILTERS.some((name) => addresses[name] !== null) && addresses.from !== '' && (
        <li>
          <a href={addressWith(view.path, { ...addresses, record_types: null, owner_id: null })}>Clear filters</a>
        </li>
      )}
    </ul>
  );
}
