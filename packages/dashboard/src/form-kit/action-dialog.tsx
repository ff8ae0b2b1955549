import type { ReactNode } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** A dialog that does one thing when it is confirmed, and nothing when it is not. One that asks for something is a `FormDialog`. */
export function ActionDialog({
  title,
  action,
  look = "primary",
  isPending,
  onClose,
  onConfirm,
  children,
}: {
  readonly title: string;
  /** The label of the button that does it. */
  readonly action: string;
  /** `secondary`: neither of the two buttons is offered before the other. */
  readonly look?: "primary" | "secondary" | "danger";
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button look={look} onClick={onConfirm} pending={isPending}>
            {action}
          </Button>
        </>
      }
      onClose={onClose}
      title={title}
    >
      {children}
    </Dialog>
  );
}
