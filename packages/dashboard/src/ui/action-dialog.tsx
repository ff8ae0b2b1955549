import { type ReactNode, type RefObject, useId } from "react";
import { text } from "../texts/text.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** A dialog that does one thing when it is confirmed, and nothing when it is not. The fields inside are what it asks for. */
export function ActionDialog({
  title,
  action,
  cancel = text.common.cancel,
  look = "primary",
  isPending,
  onClose,
  onConfirm,
  form,
  children,
}: {
  readonly title: string;
  /** The label of the button that does it. */
  readonly action: string;
  /** The label of the button that changes nothing. */
  readonly cancel?: string;
  readonly look?: "primary" | "danger";
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onConfirm: (data: FormData) => void;
  /** For code that looks into the form, such as `useFieldErrors`. */
  readonly form?: RefObject<HTMLFormElement | null>;
  readonly children: ReactNode;
}) {
  const formId = useId();
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button form={formId} look={look} pending={isPending} type="submit">
            {action}
          </Button>
        </>
      }
      onClose={onClose}
      title={title}
    >
      <form
        className="grid gap-4"
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm(new FormData(event.currentTarget));
        }}
        ref={form}
      >
        {children}
      </form>
    </Dialog>
  );
}
