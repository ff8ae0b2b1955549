/** Fifteen digits that two screens show. */
export function DeviceCode({ code }: { readonly code: string }) {
  return (
    <p aria-live="polite" className="font-mono text-2xl tabular-nums" data-testid="device-code" translate="no">
      {code}
    </p>
  );
}
