import { ExactTime } from '../components/components.tsx';
import { StateChip } from './field-content.tsx';

/** The state of a change's proof. Lists check the seals only. The panel reads the event too. */
export type ProofState = { kind: 'SEALED'; at: string } | { kind: 'WAITING' | 'REDACTED' | 'MISMATCH' };

/** A change's proof in a word. */
export function ProofBadge({ state }: { state: ProofState }) {
  switch (state.kind) {
    case 'SEALED':
      return (
        <StateChip
          tone="done"
          text={
            <>
              Sealed <ExactTime at={state.at} />
            </>
          }
        />
      );
    case 'WAITING':
      return <StateChip tone="plain" text="Waiting for a seal" />;
    case 'REDACTED':
      return <StateChip tone="warning" text="Redacted" />;
    case 'MISMATCH':
      return <StateChip tone="danger" text="Does not match" />;
  }
}
