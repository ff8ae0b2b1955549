import { ApiError } from "@sealpost/sdk";
import { useRef, useState } from "react";
import { describeError, fieldError } from "../api/describe-error.ts";
import { NameStep } from "../form/name-step.tsx";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { addKeys, labelKey } from "../keys/keyring.ts";
import { ProveKey } from "../keys/prove-key.tsx";
import { RecoverySheet } from "../keys/recovery-sheet.tsx";
import { reportProof } from "../keys/report-proofs.ts";
import { SaveKey } from "../keys/save-key.tsx";
import { FirstReaders } from "../readers/first-readers.tsx";
import type { MadeForm } from "../readers/make-form.ts";
import { EnvelopeError } from "../readers/recovery-needed.tsx";
import { ListRefused, StoredUnread } from "../readers/refusal-notice.tsx";
import { useNeedsVerification, VerifyFirst } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SwitchField } from "../ui/field.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page.tsx";
import { useFinish, useMakeForm } from "./use-make-form.ts";

const { envelopes: texts } = text;

type Made = Extract<MadeForm, { kind: "made" }>;

const { create } = texts;

/**
 * A form on one screen: its key is made here, sealed for the person, and stored with the form in one request. Only if the envelope can't be read back
 * does the key have to be saved as a file.
 */
export default function NewFormWithKey({ onUseFile }: { readonly onUseFile: () => void }) {
  const needsVerification = useNeedsVerification();
  const state = useMakeForm();
  const { making, settings, wantsFile, finish } = state;
  const made = making.data?.kind === "made" ? making.data : undefined;
  return (
    <div className="mx-auto max-w-2xl">
      <div className="print:hidden">
        <PageHeader title={text.pages.newForm} />
        <div className="card grid gap-5 p-5 sm:p-7">
          {made === undefined && needsVerification && <VerifyFirst />}
          {made === undefined && !needsVerification && <Make {...state} onUseFile={onUseFile} />}
          {made?.stored.kind === "read" && wantsFile && (
            <>
              <Notice role="status" title={create.ready} tone="good" />
              <SaveKey newKey={made.newKey} onSaved={() => undefined} />
              <Button className="justify-self-start" look="primary" onClick={() => finish(made.formId)}>
                {create.open}
              </Button>
            </>
          )}
          {made?.stored.kind === "unread" && <Unread made={made} reason={made.stored.reason} />}
        </div>
      </div>
      {made && (made.stored.kind === "unread" || wantsFile) && (
        <RecoverySheet formName={settings.name} newKey={made.newKey} />
      )}
    </div>
  );
}

/** Its name and settings, what is under way, and what went wrong. */
function Make({
  context,
  settings,
  making,
  step,
  make,
  isWaiting,
  cancel,
  wantsFile,
  setWantsFile,
  onUseFile,
}: ReturnType<typeof useMakeForm> & { readonly onUseFile: () => void }) {
  const { data, error, isPending } = making;
  const nameError = fieldError(error, "name");
  const taken = error instanceof ApiError && error.reason === "form_name_taken" ? error : undefined;
  return (
    <>
      <p className="text-muted">{create.intro}</p>
      {context && data === undefined && <FirstReaders context={context} />}
      <NameStep
        action={text.forms.wizard.create}
        error={nameError ?? (taken && describeError(taken).title)}
        isPending={isPending}
        onNext={make}
        settings={settings}
      >
        <SwitchField checked={wantsFile} hint={create.saveFileHint} label={create.saveFile} onChange={setWantsFile} />
      </NameStep>
      {isWaiting && (
        <Dialog onClose={cancel} title={create.unlock}>
          <UnlockPersonalKey />
        </Dialog>
      )}
      <p className="text-muted empty:absolute" role="status">
        {isPending && create.steps[step]}
      </p>
      {error !== null && nameError === undefined && taken === undefined && (
        <EnvelopeError error={error} onRetry={() => making.mutate(settings)} />
      )}
      {data?.kind === "list" && <ListRefused list={data.list} />}
      <Button className="justify-self-start" look="quiet" onClick={onUseFile}>
        {create.withFile}
      </Button>
    </>
  );
}

/** The form is there and its envelope is not to be had: the key is in this page alone, until it was saved and proved. */
function Unread({
  made: { formId, newKey },
  reason,
}: {
  readonly made: Made;
  readonly reason: Parameters<typeof StoredUnread>[0]["reason"];
}) {
  const [isSaved, setIsSaved] = useState(false);
  const isProved = useRef(false);
  const finish = useFinish();
  const guard = useLeaveGuard(() => !isProved.current, create.leave, "none");
  return (
    <>
      <StoredUnread reason={reason} />
      {reason !== "other_published_key" && <p>{create.unreadHint}</p>}
      <SaveKey newKey={newKey} onSaved={() => setIsSaved(true)} />
      {isSaved && (
        <>
          <p className="text-muted">{text.forms.wizard.proveIntro}</p>
          <ProveKey
            isProved={false}
            newKey={newKey}
            onProved={async (key) => {
              isProved.current = true;
              addKeys(formId, [labelKey(key, formId, newKey.keyVersion)]);
              await reportProof(formId, newKey.keyVersion);
              await finish(formId);
            }}
          />
        </>
      )}
      {guard.question}
    </>
  );
}
