import { useId } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
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
  const formId = useId();
  const faults = useFaults(asking.error, ["password"]);
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button form={formId} look={isDangerous ? "danger" : "primary"} pending={asking.isPending} type="submit">
            {action}
          </Button>
        </>
      }
      onClose={onClose}
      title={title}
    >
      <p>{intro}</p>
      <form
        className="grid gap-4"
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          asking.mutate(String(new FormData(event.currentTarget).get("password")));
        }}
        ref={faults.form}
      >
        {faults.isElsewhere && <ErrorNotice error={asking.error} />}
        <PasswordField
          autoComplete="current-password"
          data-focus
          error={faults.at("password")}
          label={text.secondFactor.password}
          name="password"
          required
        />
      </form>
    </Dialog>
  );
}
