import { compareHybrid, type FormKey, type OpeningKey } from "@sealpost/sdk";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";

/** Says so where the server names another hybrid key for a version than the owner's key file, none, or one that is not in it. */
export function HybridMismatch({
  formKeys,
  held,
}: {
  readonly formKeys: readonly Pick<FormKey, "version" | "fingerprint" | "hybridFingerprint">[];
  readonly held: readonly OpeningKey[];
}) {
  const mayRotate = useMay()("rotateFormKeys");
  return formKeys.map((formKey) => {
    const difference = compareHybrid(formKey, held);
    if (difference === undefined) return null;
    const { title, hint, hintOthers } = text.keys.hybridDifference[difference];
    return (
      <Notice
        key={formKey.version}
        role="alert"
        title={title(formKey.version)}
        tone={difference === "swapped" ? "danger" : "warning"}
      >
        {mayRotate ? hint : hintOthers}
      </Notice>
    );
  });
}
