import { type ReactNode, useEffect, useRef } from "react";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { ScanButton } from "../scanner/scan-button.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { DropZone } from "../ui/drop-zone.tsx";
import { PasswordField, TextArea } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { type KeyPickerOptions, useKeyPicker } from "./use-key-picker.ts";

/**
 * Takes private keys as files (chosen or dropped), pasted, typed or scanned, and asks for the passphrase where there is one.
 * `read` says what each is.
 */
export function KeyPicker<Found>({
  pasteHint = text.keys.pasteHint,
  extra,
  ...options
}: KeyPickerOptions<Found> & {
  readonly pasteHint?: string;
  /** Shown below the ways to bring a key. */
  readonly extra?: ReactNode;
}) {
  const picker = useKeyPicker(options);
  const { isPasting, isWorking, isTyped, refusal, waiting } = picker;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusal) place.current?.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
  }, [refusal]);
  return (
    <div className="grid gap-4" ref={place}>
      {refusal && !isTyped && (
        <Notice role="alert" tone="danger">
          <bdi>{refusal}</bdi>
        </Notice>
      )}
      {waiting && (
        <PassphraseForm
          error={waiting.isWrong && !isWorking ? text.keys.passphraseWrong : undefined}
          fileName={waiting.rest[0]?.name}
          onCancel={picker.cancel}
          onPassphrase={picker.takePassphrase}
        />
      )}
      {/* Hidden while a passphrase is asked for: what is typed already stays. */}
      <div className="grid gap-4" hidden={waiting !== undefined}>
        <DropZone label={text.keys.choose} onFiles={picker.takeFiles} pending={isWorking && !isPasting} />
        {isPasting && <PasteForm error={isTyped ? refusal : undefined} hint={pasteHint} onPasted={picker.takeText} />}
        <div className="flex flex-wrap gap-2 empty:hidden">
          {!isPasting && (
            <Button onClick={picker.startPasting} small>
              {text.keys.paste}
            </Button>
          )}
          <ScanButton onScanned={(content) => void picker.takeText(content)} small>
            {text.keys.scan}
          </ScanButton>
        </div>
        {extra}
      </div>
      <p className="sr-only" role="status">
        {isWorking ? text.keys.working : ""}
      </p>
    </div>
  );
}

function PassphraseForm({
  fileName,
  error,
  onPassphrase,
  onCancel,
}: {
  readonly fileName: string | undefined;
  readonly error: string | undefined;
  readonly onPassphrase: (passphrase: string) => Promise<void>;
  readonly onCancel: () => void;
}) {
  // The passphrase is read here and kept nowhere.
  const fields = useFields({
    initial: { passphrase: "" },
    passing: "secret",
    send: ({ passphrase }) => onPassphrase(passphrase),
  });
  return (
    <FieldsForm className="grid gap-3" fields={fields}>
      <PasswordField
        {...fields.secret("passphrase")}
        autoComplete="off"
        autoFocus
        error={error}
        hint={<bdi>{text.keys.passphraseTitle(fileName)}</bdi>}
        label={text.keys.passphrase}
        required
      />
      <div className="flex gap-2">
        <Button look="primary" pending={fields.isPending} type="submit">
          {text.keys.passphraseUse}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          {text.common.cancel}
        </Button>
      </div>
    </FieldsForm>
  );
}

function PasteForm({
  error,
  hint,
  onPasted,
}: {
  readonly error: string | undefined;
  readonly hint: string;
  readonly onPasted: (pasted: string) => Promise<void>;
}) {
  const fields = useFields({ initial: { key: "" }, passing: "held_around", send: ({ key }) => onPasted(key) });
  return (
    <FieldsForm className="grid gap-3" fields={fields}>
      <TextArea
        {...fields.secret("key")}
        autoCapitalize="characters"
        autoComplete="off"
        autoCorrect="off"
        autoFocus
        className="min-h-28 font-mono text-sm max-sm:min-h-56"
        error={error}
        hint={hint}
        label={text.keys.pasteLabel}
        required
        spellCheck={false}
      />
      <div>
        <Button pending={fields.isPending} type="submit">
          {text.keys.usePasted}
        </Button>
      </div>
    </FieldsForm>
  );
}
