/** @jsxRuntime automatic @jsxImportSource preact */

/** Leads from the check in this browser to one that doesn't depend on the service. */
export function OfflineCheck() {
  return (
    <p class="muted">
      This code came from the server that it checks. For independence, use the standalone verifier:{' '}
      <code>veritrail export</code>, then <code>veritrail verify FILE --key KEY</code>. The page docs/trail-format.md of
      the product explains both.
    </p>
  );
}
