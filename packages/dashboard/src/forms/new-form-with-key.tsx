import { ApiError } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Tried } from "../api/attempt.ts";
import { fieldError } from "../api/describe-error.ts";
import { NameStep, type NewFormSettings } from "../form/name-step.tsx";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import { addEnvelopeKeys, addKeys, labelKey } from "../keys/keyring.ts";
import { ProveKey } from "../keys/prove-key.tsx";
import { RecoverySheet } from "../keys/recovery-sheet.tsx";
import { reportProof } from "../keys/report-proofs.ts";
import { SaveKey } from "../keys/save-key.tsx";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { FirstReaders } from "../readers/first-readers.tsx";
import { type Attempt, type MadeForm, type MakingStep, makeForm } from "../readers/make-form.ts";
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

const { envelopes: texts } = text;

type Made = Extract<MadeForm, { kind: "made" }>;

const { create } = texts;

/**
 * A form on one screen: its key is made here, sealed for the person, and stored with the form in one request. Only if the envelope can't be read back
 * does the key have to be saved as a file.
 */
export default function NewFormWithKey({ onUseFile }: { readonly onUseFile: () => void }) {
  const context = useEnvelopeContext();
  const needsVerification = useNeedsVerification();
  const [settings, setSettings] = useState<NewFormSettings>({
    name: "",
    encryption: true,
    isHybrid: true,
    piiStrip: false,
  });
  const [wantsFile, setWantsFile] = useState(false);
  const [isWaiting, setIsWaiting] = useState(false);
  const [step, setStep] = useState<MakingStep>("list");
  const tried = useRef<Tried<Attempt>>({});
  const finish = useFinish();
  const making = useMutation({
    mutationFn: (next: NewFormSettings) =>
      context === undefined
        ? Promise.reject(new Error(create.unlock))
        : makeForm(context, next, tried.current, setStep),
    onSuccess: async (made) => {
      if (made.kind !== "made" || made.stored.kind !== "read") return;
      addEnvelopeKeys(made.formId, made.stored.keys);
      // It was proved a moment ago. Should this not arrive, unlocking the form says it again.
      await reportProof(made.formId, 1);
      if (!wantsFile) await finish(made.formId);
    },
    gcTime: 0,
  });
  // The form was ready to be made, but for the key.
  const { mutate } = making;
  useEffect(() => {
    if (!isWaiting || context === undefined) return;
    setIsWaiting(false);
    mutate(settings);
  }, [isWaiting, context, settings, mutate]);
  const made = making.data?.kind === "made" ? making.data : undefined;
  const { wizard } = text.forms;
  const nameError = fieldError(making.error, "name");
  const taken =
    making.error instanceof ApiError && making.error.reason === "form_name_taken" ? making.error : undefined;
  return (
    <div className="mx-auto max-w-2xl">
      <div className="print:hidden">
        <PageHeader title={text.pages.newForm} />
        <div className="card grid gap-5 p-5 sm:p-7">
          {made === undefined && needsVerification && <VerifyFirst />}
          {made === undefined && !needsVerification && (
            <>
              <p className="text-muted">{create.intro}</p>
              {context && making.data === undefined && <FirstReaders context={context} />}
              <NameStep
                action={wizard.create}
                error={nameError ?? taken?.message}
                isPending={making.isPending}
                onNext={(next) => {
                  setSettings(next);
                  if (context === undefined) setIsWaiting(true);
                  else making.mutate(next);
                }}
                settings={settings}
              >
                <SwitchField
                  checked={wantsFile}
                  hint={create.saveFileHint}
                  label={create.saveFile}
                  onChange={setWantsFile}
                />
              </NameStep>
              {isWaiting && (
                <Dialog onClose={() => setIsWaiting(false)} title={create.unlock}>
                  <UnlockPersonalKey />
                </Dialog>
              )}
              <p className="text-muted empty:absolute" role="status">
                {making.isPending && create.steps[step]}
              </p>
              {making.isError && nameError === undefined && taken === undefined && (
                <EnvelopeError error={making.error} onRetry={() => making.mutate(settings)} />
              )}
              {making.data?.kind === "list" && <ListRefused list={making.data.list} />}
              <Button className="justify-self-start" look="quiet" onClick={onUseFile}>
                {create.withFile}
              </Button>
            </>
          )}
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

function useFinish() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (formId: string) => {
    await queryClient.invalidateQueries({ queryKey: ["forms"] });
    await navigate({ to: "/forms/$formId/embed", params: { formId }, replace: true });
  };
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
  const guard = useLeaveGuard(() => !isProved.current, create.leave);
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
