import { useState } from "react";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { type Fields, useFields } from "../form-kit/use-fields.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { PasswordField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { CheckIcon, DownloadIcon, PrinterIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { checkFilePassphrase } from "./check-file-passphrase.ts";
import { downloadKey, type NewKey } from "./new-key.ts";

/**
 * Everything an owner can do to keep a new key. `onSaved` says that one of them was done; the proof comes after. Copying alone
 * does not count: the clipboard would prove itself, and forget the key.
 */
export function SaveKey({ newKey, onSaved }: { readonly newKey: NewKey; readonly onSaved: () => void }) {
  const [isCopied, setIsCopied] = useState(false);
  const { wizard } = text.forms;
  const fields = useFields({
    initial: { isProtected: false, passphrase: "", again: "" },
    passing: "held_around",
    check: ({ isProtected, passphrase, again }) => (isProtected ? checkFilePassphrase(passphrase, again) : undefined),
    send: ({ isProtected, passphrase }) => downloadKey(newKey, isProtected ? passphrase : undefined),
    onSaved,
  });
  const { isProtected } = fields.values;
  return (
    <div className="grid gap-5">
      <Notice title={wizard.lossTitle} tone="warning">
        {wizard.loss} <HelpLink page="saveKey">{wizard.lossLink}</HelpLink>
      </Notice>
      <Fingerprints newKey={newKey} />
      <FieldsForm fields={fields} notice={null}>
        <Protection fields={fields} />
        <div className="flex flex-wrap items-center gap-2">
          <Button icon={<DownloadIcon />} look="primary" pending={fields.isPending} type="submit">
            {fields.isPending && isProtected ? wizard.downloading : wizard.download}
          </Button>
          <CopyButton label={wizard.copyKey} onCopied={() => setIsCopied(true)} small={false} value={newKey.text} />
          <PrintButton onPrinted={onSaved} />
        </div>
        {isProtected && <p className="text-muted text-sm">{wizard.copyInClear}</p>}
        {isCopied && (
          <Notice
            action={<Button onClick={onSaved}>{wizard.copiedSaved}</Button>}
            role="alert"
            title={wizard.copiedTitle}
            tone="warning"
          >
            {wizard.copiedHint}
          </Notice>
        )}
        <div className="empty:absolute" role="status">
          {fields.result !== undefined && <Saved fields={fields} name={fields.result} />}
        </div>
        {fields.error !== null && <ErrorNotice error={fields.error} />}
      </FieldsForm>
    </div>
  );
}

type SaveFields = Fields<
  { readonly isProtected: boolean; readonly passphrase: string; readonly again: string },
  string
>;

function Fingerprints({ newKey: { fingerprint, hybrid } }: { readonly newKey: NewKey }) {
  const { wizard } = text.forms;
  return (
    <dl className="grid gap-1">
      <dt className="font-medium">{wizard.fingerprint}</dt>
      <dd className="break-all font-mono text-sm" data-testid="fingerprint" translate="no">
        {fingerprint}
      </dd>
      {hybrid !== undefined && (
        <>
          <dt className="mt-1 font-medium">{text.keys.hybridFingerprint}</dt>
          <dd className="break-all font-mono text-sm" data-testid="hybrid-fingerprint" translate="no">
            {hybrid.fingerprint}
          </dd>
        </>
      )}
      <dd className="text-muted text-sm">{wizard.fingerprintHint}</dd>
    </dl>
  );
}

/** A passphrase for the file, for who wants one. */
function Protection({ fields }: { readonly fields: SaveFields }) {
  const { wizard } = text.forms;
  return (
    <>
      <label className="flex items-start gap-3">
        <input {...fields.tick("isProtected")} className="mt-1" type="checkbox" />
        <span>
          <span className="font-medium">{wizard.passphrase}</span>
          <span className="block text-muted text-sm">{wizard.passphraseHint}</span>
        </span>
      </label>
      {fields.values.isProtected && (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <PasswordField
            {...fields.secret("passphrase")}
            autoComplete="new-password"
            hint={wizard.passphraseRule}
            label={wizard.passphraseLabel}
            required
          />
          <PasswordField
            {...fields.secret("again")}
            autoComplete="new-password"
            label={wizard.passphraseAgain}
            required
          />
        </div>
      )}
    </>
  );
}

function PrintButton({ onPrinted }: { readonly onPrinted: () => void }) {
  return (
    <Button
      icon={<PrinterIcon />}
      onClick={() => {
        window.print();
        onPrinted();
      }}
    >
      {text.forms.wizard.print}
    </Button>
  );
}

/** Says whether the last file is protected: where the check box says otherwise by now, one would look like the other. */
function Saved({ fields: { values, sent }, name }: { readonly fields: SaveFields; readonly name: string }) {
  const { wizard } = text.forms;
  if (values.isProtected !== sent?.isProtected)
    return <p>{values.isProtected ? wizard.savedInClear(name) : wizard.savedProtected(name)}</p>;
  return (
    <p className="flex items-center gap-2 text-accent">
      <CheckIcon />
      {wizard.downloaded(name)}
    </p>
  );
}
