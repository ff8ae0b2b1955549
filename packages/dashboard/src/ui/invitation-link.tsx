import { useState } from "react";
import { flushSync } from "react-dom";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "./button.tsx";
import { CodeBlock } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Notice } from "./notice.tsx";
import { ShownOnce } from "./shown-once.tsx";

const { members: texts } = text;

/** The link of a new invitation, this once. */
export function InvitationLink({
  invitation: { email, expiresAt },
  url,
  mailed,
  role,
  hint,
  onClose,
}: {
  readonly invitation: { readonly email: string; readonly expiresAt: number };
  readonly url: string;
  readonly mailed: boolean;
  /** The role that the person gets; none for an account of their own. */
  readonly role?: string;
  readonly hint: string;
  readonly onClose: () => void;
}) {
  const [isKept, setIsKept] = useState(false);
  const confirm = () => {
    // First, because closing may be a way to another address, before which is asked.
    flushSync(() => setIsKept(true));
    onClose();
  };
  return (
    <Dialog
      beginsAtTitle
      footer={
        <Button look="primary" onClick={confirm}>
          {mailed ? texts.done : texts.copied}
        </Button>
      }
      onClose={onClose}
      title={texts.invitedTitle}
    >
      <Notice role="status" tone={mailed ? "good" : "warning"}>
        {mailed ? texts.mailed(email) : texts.notMailed(email)}
      </Notice>
      {role !== undefined && <p>{texts.linkRole(role)}</p>}
      {/* A link that was mailed can be lost here. */}
      {mailed || isKept ? <CodeBlock code={url} label={texts.link} wrap /> : <OnlyHere url={url} />}
      <p className="text-muted text-sm">{texts.linkHint(email, formatDateTime(expiresAt))}</p>
      <p className="text-muted text-sm">{hint}</p>
    </Dialog>
  );
}

function OnlyHere({ url }: { readonly url: string }) {
  return (
    <ShownOnce leave={texts.leaveLink}>
      <CodeBlock code={url} label={texts.link} wrap />
    </ShownOnce>
  );
}
