import type { FormKey, OpeningKey } from "@sealpost/sdk";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";

/**
 * Says so where the server names another hybrid key for a version than the owner's key file, or none: the RSA key says which
 * version the file is of, and the file which hybrid key belongs to it.
 */
export function HybridMismatch({
  formKeys,
  held,
}: {
  readonly formKeys: readonly Pick<FormKey, "version" | "fingerprint" | "hybridFingerprint">[];
  readonly held: readonly OpeningKey[];
}) {
  return formKeys.map(({ version, fingerprint, hybridFingerprint }) => {
    const own = held.find((key) => key.fingerprint === fingerprint)?.hybrid;
    if (own === undefined || own.fingerprint === hybridFingerprint) return null;
    const isHidden = hybridFingerprint === undefined;
    const { hybridSwapped, hybridSwappedHint, hybridHidden, hybridHiddenHint } = text.keys;
    return (
      <Notice
        key={version}
        role="alert"
        title={isHidden ? hybridHidden(version) : hybridSwapped(version)}
        tone={isHidden ? "warning" : "danger"}
      >
        {isHidden ? hybridHiddenHint : hybridSwappedHint}
      </Notice>
    );
  });
}
