import { isInvisible } from "@sealpost/wire";
import type { ReactNode } from "react";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import type { Mistakes } from "../form-kit/mistakes.ts";
import { type Fields, useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { SwitchField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";

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
  /** Ends once the settings are where they are safe; what is typed may be lost until then. */
  readonly onNext: (settings: NewFormSettings) => unknown;
  /** The label of the button. */
  readonly action?: string;
  readonly isPending?: boolean;
  /** Shown above the button. */
  readonly children?: ReactNode;
}) {
  const { wizard } = text.forms;
  const fields = useFields({
    initial: settings,
    check: ({ name }) => checkName(name.trim()),
    send: (chosen) => onNext({ ...chosen, name: chosen.name.trim() }),
  });
  return (
    <FieldsForm className="grid gap-6" fields={fields} isCheckedHere notice={null}>
      <TextField
        {...fields.text("name")}
        autoComplete="off"
        autoFocus
        error={fields.errorAt("name") ?? error}
        hint={wizard.nameHint}
        label={wizard.name}
        maxLength={100}
        required
      />
      <Switches fields={fields} />
      {children}
      <div className="flex justify-end border-line border-t pt-5">
        <Button look="primary" pending={isPending} type="submit">
          {action}
        </Button>
      </div>
    </FieldsForm>
  );
}

/** Said now, not by the server in the last step, when the key is made and saved. */
function checkName(name: string): Mistakes | undefined {
  const { wizard } = text.forms;
  if (isInvisible(name)) return { name: wizard.nameMissing };
  return /\p{Cc}/u.test(name) ? { name: wizard.nameUnfit } : undefined;
}

function Switches({ fields }: { readonly fields: Fields<NewFormSettings, unknown> }) {
  const { wizard } = text.forms;
  const { encryption } = fields.values;
  return (
    <>
      <SwitchField {...fields.toggle("encryption")} hint={wizard.encryptionHint} label={wizard.encryption} />
      {encryption ? (
        <SwitchField {...fields.toggle("isHybrid")} hint={text.keys.hybridHint} label={text.keys.hybrid} />
      ) : (
        <Notice title={wizard.encryptionOff} tone="warning">
          {wizard.encryptionOffKey}
        </Notice>
      )}
      <SwitchField {...fields.toggle("piiStrip")} hint={wizard.piiStripHint} label={wizard.piiStrip} />
    </>
  );
}
