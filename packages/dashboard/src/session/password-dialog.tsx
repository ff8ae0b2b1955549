import type { ReactNode } from "react";
import type { Confirmation } from "../api/session-api.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { PasswordField, TextField } from "../ui/field.tsx";

/** Asks for the password, and where it must be for a code, before something that must not be done at an unattended screen. */
export function PasswordDialog({
  title,
  intro,
  action,
  send,
  wantsCode = false,
  isDangerous = false,
  onClose,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly action: string;
  readonly send: (confirmation: Confirmation) => unknown;
  readonly wantsCode?: boolean;
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
  /** Another way than the password. */
  readonly children?: ReactNode;
}) {
  const fields = useFields({
    initial: { password: "", code: "" },
    passing: "secret",
    isSignIn: true, // whose request it is knows what 401 means
    changesNothing: !isDangerous, // it proposes codes or a secret, which count later, or makes the session fresh
    send,
  });
  return (
    <FormDialog
      action={action}
      fields={fields}
      look={isDangerous ? "danger" : "primary"}
      onClose={onClose}
      title={title}
    >
      <p>{intro}</p>
      <PasswordField
        {...fields.secret("password")}
        autoComplete="current-password"
        data-focus
        label={text.secondFactor.password}
        required
      />
      {wantsCode && (
        <TextField
          {...fields.secret("code")}
          autoComplete="one-time-code"
          className="max-w-60"
          hint={text.secondFactor.lost}
          label={text.secondFactor.anyCode}
          maxLength={20}
          required
        />
      )}
      {children}
    </FormDialog>
  );
}
