/** @jsxRuntime automatic @jsxImportSource preact */
import { Clock } from '../components/components.tsx';
import { StateChip } from './field-content.tsx';

/** The state of a change's proof. Only the panel reads the event, so lists never show the last two. */
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
              Sealed <Clock at={state.at} />
            </>
          }
        />
      );
    case 'WAITING':
      return <StateChip tone="plain" text="Waiting for a seal (under 1 min)" />;
    case 'REDACTED':
      return <StateChip tone="warning" text="Redacted" />;
    case 'MISMATCH':
      return <StateChip tone="danger" text="Does not match" />;
  }
}
