import { text } from "../texts/text.ts";

/** Shown with a new password: somebody who had the old one may have made an API key. On unless it is switched off. */
export function RevokeApiKeys() {
  return (
    <label className="flex items-start gap-3">
      <input className="mt-1" defaultChecked name="revokeApiKeys" type="checkbox" />
      <span>
        {text.session.revokeApiKeys}
        <span className="block text-muted text-sm">{text.session.revokeApiKeysHint}</span>
      </span>
    </label>
  );
}
