/** Leads from the check in this browser to one that doesn't depend on the service. */
export function OfflineCheck() {
  return (
    <p class="muted">
      This code came from the server that it checks. For independence, use <code>veritrail verify FILE --key KEY</code>{' '}
      on a computer of your own, with the key that you were given. It takes an export, a seal, a saved proof and the
      JSON of an audit pack. <code>docs/trail-format.md</code> is enough to write another verifier.
    </p>
  );
}
