import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { PasswordField } from "../ui/field.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { CheckIcon, DownloadIcon, PrinterIcon } from "../ui/icons.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { downloadKey, type NewKey } from "./new-key.ts";

const passphraseLengthMin = 10;

/**
 * Everything an owner can do to keep a new key. `onSaved` says that one of them was done; the proof comes after. Copying alone
 * does not count: the clipboard would prove itself, and forget the key.
 */
export function SaveKey({ newKey, onSaved }: { readonly newKey: NewKey; readonly onSaved: () => void }) {
  const [isProtected, setIsProtected] = useState(false);
  const [isCopied, setIsCopied] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const saving = useMutation({
    mutationFn: (passphrase: string | undefined) => downloadKey(newKey, passphrase),
    onSuccess: onSaved,
  });
  const { wizard } = text.forms;
  const { hybrid } = newKey;
  // True while the last file matches the check box; otherwise an unprotected file would look like a protected one.
  const isAsSaved = isProtected === (saving.variables !== undefined);

  function submit(data: FormData): void {
    const passphrase = String(data.get("passphrase") ?? "");
    const mistake = !isProtected
      ? undefined
      : passphrase.length < passphraseLengthMin
        ? wizard.passphraseShort
        : passphrase === data.get("again")
          ? undefined
          : wizard.passphraseDiffers;
    setRefusal(mistake);
    if (mistake === undefined) saving.mutate(isProtected ? passphrase : undefined);
  }

  return (
    <div className="grid gap-5">
      <Notice title={wizard.lossTitle} tone="warning">
        {wizard.loss} <HelpLink page="saveKey">{wizard.lossLink}</HelpLink>
      </Notice>
      <dl className="grid gap-1">
        <dt className="font-medium">{wizard.fingerprint}</dt>
        <dd className="break-all font-mono text-sm" data-testid="fingerprint" translate="no">
          {newKey.fingerprint}
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
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        <label className="flex items-start gap-3">
          <input
            checked={isProtected}
            className="mt-1"
            onChange={(event) => setIsProtected(event.target.checked)}
            type="checkbox"
          />
          <span>
            <span className="font-medium">{wizard.passphrase}</span>
            <span className="block text-muted text-sm">{wizard.passphraseHint}</span>
          </span>
        </label>
        {isProtected && (
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <PasswordField
              autoComplete="new-password"
              error={refusal}
              hint={wizard.passphraseRule}
              label={wizard.passphraseLabel}
              name="passphrase"
              required
            />
            <PasswordField autoComplete="new-password" label={wizard.passphraseAgain} name="again" required />
          </div>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button icon={<DownloadIcon />} look="primary" pending={saving.isPending} type="submit">
            {saving.isPending && isProtected ? wizard.downloading : wizard.download}
          </Button>
          <CopyButton label={wizard.copyKey} onCopied={() => setIsCopied(true)} small={false} value={newKey.text} />
          <Button
            icon={<PrinterIcon />}
            onClick={() => {
              window.print();
              onSaved();
            }}
          >
            {wizard.print}
          </Button>
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
          {saving.isSuccess &&
            (isAsSaved ? (
              <p className="flex items-center gap-2 text-accent">
                <CheckIcon />
                {wizard.downloaded(saving.data)}
              </p>
            ) : (
              <p>{isProtected ? wizard.savedInClear(saving.data) : wizard.savedProtected(saving.data)}</p>
            ))}
        </div>
        {saving.isError && <ErrorNotice error={saving.error} />}
      </form>
    </div>
  );
}
