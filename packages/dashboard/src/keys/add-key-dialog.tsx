import { text } from "../texts/text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Unlock } from "./unlock.tsx";

/** Another key of a form whose key is open already: of an older version, say. */
export function AddKeyDialog({ formId, onClose }: { readonly formId: string; readonly onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={text.formKeys.addKey}>
      <p className="text-muted">{text.formKeys.addKeyIntro}</p>
      <Unlock formId={formId} onUnlocked={onClose} />
    </Dialog>
  );
}
