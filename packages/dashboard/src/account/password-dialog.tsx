import { text } from "../texts/text.ts";
import { ActionDialog } from "../ui/action-dialog.tsx";
import { PasswordField } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { useFaults } from "../ui/use-faults.ts";

/** Asks for the password before something that must not be done at an unattended screen. */
export function PasswordDialog({
  title,
  intro,
  action,
  asking,
  isDangerous = false,
  onClose,
}: {
  readonly title: string;
  readonly intro: string;
  readonly action: string;
  readonly asking: {
    readonly mutate: (password: string) => void;
    readonly isPending: boolean;
    readonly error: unknown;
  };
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
}) {
  const faults = useFaults(asking.error, ["password"]);
  return (
    <ActionDialog
      action={action}
      form={faults.form}
      isPending={asking.isPending}
      look={isDangerous ? "danger" : "primary"}
      onClose={onClose}
      onConfirm={(data) => asking.mutate(String(data.get("password")))}
      title={title}
    >
      <p>{intro}</p>
      {faults.isElsewhere && <ErrorNotice error={asking.error} />}
      <PasswordField
        autoComplete="current-password"
        data-focus
        error={faults.at("password")}
        label={text.secondFactor.password}
        name="password"
        required
      />
    </ActionDialog>
  );
}
