import { isInvisible } from "@sealpost/wire";
import { type ReactNode, useState } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SwitchField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { useErrorFocus } from "../ui/use-field-errors.ts";

export interface NewFormSettings {
  readonly name: string;
  readonly encryption: boolean;
  /** Whether the form gets a hybrid key as well. */
  readonly isHybrid: boolean;
  readonly piiStrip: boolean;
}

export function NameStep({
  settings,
  error,
  onNext,
  action = text.common.next,
  isPending = false,
  children,
}: {
  readonly settings: NewFormSettings;
  readonly error: string | undefined;
  readonly onNext: (settings: NewFormSettings) => void;
  /** The label of the button. */
  readonly action?: string;
  readonly isPending?: boolean;
  /** Shown above the button. */
  readonly children?: ReactNode;
}) {
  const [encryption, setEncryption] = useState(settings.encryption);
  const [isHybrid, setIsHybrid] = useState(settings.isHybrid);
  const [piiStrip, setPiiStrip] = useState(settings.piiStrip);
  const [mistake, setMistake] = useState<{ readonly text: string } | null>(null);
  const form = useErrorFocus(mistake);
  const { wizard } = text.forms;
  return (
    <form
      className="grid gap-6"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const name = String(new FormData(event.currentTarget).get("name")).trim();
        // Said now, not by the server in the last step, when the key is made and saved.
        const found = isInvisible(name) ? wizard.nameMissing : /\p{Cc}/u.test(name) ? wizard.nameUnfit : undefined;
        setMistake(found === undefined ? null : { text: found });
        if (found === undefined) onNext({ name, encryption, isHybrid, piiStrip });
      }}
      ref={form}
    >
      <TextField
        autoComplete="off"
        autoFocus
        defaultValue={settings.name}
        error={mistake?.text ?? error}
        hint={wizard.nameHint}
        label={wizard.name}
        maxLength={100}
        name="name"
        required
      />
      <SwitchField
        checked={encryption}
        hint={wizard.encryptionHint}
        label={wizard.encryption}
        onChange={setEncryption}
      />
      {encryption && (
        <SwitchField checked={isHybrid} hint={text.keys.hybridHint} label={text.keys.hybrid} onChange={setIsHybrid} />
      )}
      {!encryption && (
        <Notice title={wizard.encryptionOff} tone="warning">
          {wizard.encryptionOffKey}
        </Notice>
      )}
      <SwitchField checked={piiStrip} hint={wizard.piiStripHint} label={wizard.piiStrip} onChange={setPiiStrip} />
      {children}
      <div className="flex justify-end border-line border-t pt-5">
        <Button look="primary" pending={isPending} type="submit">
          {action}
        </Button>
      </div>
    </form>
  );
}
