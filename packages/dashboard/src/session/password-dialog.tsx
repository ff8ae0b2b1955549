import type { ReactNode } from "react";
import type { Confirmation } from "../api/session-api.ts";
import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";

/** Asks for the password, and where it must be for a code, before something that must not be done at an unattended screen. */
export function PasswordDialog({
  title,
  intro,
  action,
  asking,
  wantsCode = false,
  isDangerous = false,
  onClose,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly action: string;
  readonly asking: {
    readonly mutate: (confirmation: Confirmation) => void;
    readonly isPending: boolean;
    readonly error: unknown;
  };
  readonly wantsCode?: boolean;
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
  /** Another way than the password. */
  readonly children?: ReactNode;
}) {
  const fieldErrors = useFieldErrors(asking.error, ["password", "code"]);
  return (
    <ActionDialog
      action={action}
      form={fieldErrors.form}
      isPending={asking.isPending}
      look={isDangerous ? "danger" : "primary"}
      onClose={onClose}
      onConfirm={(data) =>
        asking.mutate({ password: String(data.get("password")), code: String(data.get("code") ?? "") })
      }
      title={title}
    >
      <p>{intro}</p>
      {fieldErrors.isElsewhere && <ErrorNotice error={asking.error} />}
      <PasswordField
        autoComplete="current-password"
        data-focus
        error={fieldErrors.at("password")}
        label={text.secondFactor.password}
        name="password"
        required
      />
      {wantsCode && (
        <TextField
          autoComplete="one-time-code"
          className="max-w-60"
          error={fieldErrors.at("code")}
          hint={text.secondFactor.lost}
          label={text.secondFactor.anyCode}
          maxLength={20}
          name="code"
          required
        />
      )}
      {children}
    </ActionDialog>
  );
}
