import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import PasskeyConfirm from "./passkey-confirm.tsx";

const { passkeys: texts } = text;

/** Asks for a passkey, where the password is not enough. */
export default function PasskeyDialog({
  onConfirmed,
  onClose,
}: {
  readonly onConfirmed: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      footer={<Button onClick={onClose}>{text.common.cancel}</Button>}
      onClose={onClose}
      title={texts.confirmTitle}
    >
      <div className="grid gap-4">
        <p>{texts.confirmIntro}</p>
        <PasskeyConfirm look="primary" onConfirmed={onConfirmed} />
      </div>
    </Dialog>
  );
}
