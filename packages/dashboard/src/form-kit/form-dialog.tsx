import { type ReactNode, useId } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldsForm } from "./fields-form.tsx";
import type { FormFields } from "./use-fields.ts";

/** A dialog that asks for something, and does one thing with it when it is confirmed. */
export function FormDialog({
  title,
  action,
  cancel = text.common.cancel,
  look = "primary",
  fields,
  isWaiting = false,
  notice,
  onClose,
  children,
}: {
  readonly title: string;
  /** The label of the button that does it. */
  readonly action: string;
  /** The label of the button that changes nothing. */
  readonly cancel?: string;
  readonly look?: "primary" | "danger";
  readonly fields: FormFields;
  /** Something that it needs is still loading. */
  readonly isWaiting?: boolean;
  readonly notice?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const formId = useId();
  return (
    <Dialog
      footer={
        <>
          <Button
            onClick={() => {
              fields.forget();
              onClose();
            }}
          >
            {cancel}
          </Button>
          <Button form={formId} look={look} pending={fields.isPending || isWaiting} type="submit">
            {action}
          </Button>
        </>
      }
      onClose={onClose}
      title={title}
    >
      <FieldsForm fields={fields} id={formId} notice={notice}>
        {children}
      </FieldsForm>
    </Dialog>
  );
}
