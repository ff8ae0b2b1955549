import { describeSightKeys, type FirstSight, type ShownKey } from "@sealpost/sdk/envelopes";
import { text } from "../texts/text.ts";
import { Badge } from "../ui/page.tsx";

const { lookAt: words } = text.envelopes;

/** The keys of a first sight, to be compared, with what speaks for each, and the key log that the revision names. Each is a row of `useShownWhole`. */
export function SightKeys({ sight }: { readonly sight: Pick<FirstSight, "envelope"> }) {
  const { keys, keyLog } = describeSightKeys(sight.envelope);
  const unproven = keys.filter(({ isUnproven }) => isUnproven).map(({ version }) => version);
  return (
    <>
      <ul aria-label={words.keys} className="divide-y divide-line">
        {keys.map((key) => (
          <KeyRow key={key.version} of={key} />
        ))}
      </ul>
      {unproven.length > 0 && <p className="text-warning">{words.unprovenHint(unproven)}</p>}
      <p>{words.keyLog[keyLog]}</p>
    </>
  );
}

function KeyRow({ of: { version, fingerprint, hybridFingerprint, isUnproven } }: { readonly of: ShownKey }) {
  return (
    <li className="grid gap-0.5 py-2 outline-none" data-row tabIndex={-1}>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="font-medium">{text.formKeys.version(version)}</span>
        {isUnproven && (
          <Badge isLong tone="warning">
            {words.unproven}
          </Badge>
        )}
      </div>
      <code className="break-all font-mono text-sm" translate="no">
        {fingerprint}
      </code>
      {hybridFingerprint !== null && (
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="text-muted text-sm">{text.formKeys.hybridLabel}</span>
          <code className="break-all font-mono text-sm" translate="no">
            {hybridFingerprint}
          </code>
        </span>
      )}
    </li>
  );
}
