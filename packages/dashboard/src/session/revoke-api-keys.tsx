import type { TickProps } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";

/** Shown with a new password: somebody who had the old one may have made an API key. On at first. */
export function RevokeApiKeys(box: TickProps) {
  return (
    <label className="flex items-start gap-3">
      <input {...box} className="mt-1" type="checkbox" />
      <span>
        {text.session.revokeApiKeys}
        <span className="block text-muted text-sm">{text.session.revokeApiKeysHint}</span>
      </span>
    </label>
  );
}
