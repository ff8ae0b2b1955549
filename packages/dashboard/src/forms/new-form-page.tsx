import { ApiError } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { orArrived, sendAttempt, type Tried } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { fieldError } from "../api/describe-error.ts";
import { hasForm, reserveForm } from "../api/form-api.ts";
import { NameStep, type NewFormSettings } from "../form/name-step.tsx";
import { addKeys, labelKey } from "../keys/keyring.ts";
import { makeKey, publicKeysOf } from "../keys/new-key.ts";
import { ProveKey } from "../keys/prove-key.tsx";
import { RecoverySheet } from "../keys/recovery-sheet.tsx";
import { reportProof } from "../keys/report-proofs.ts";
import { SaveKey } from "../keys/save-key.tsx";
import { type NewKeyProgress, useNewKey } from "../keys/use-new-key.ts";
import type { Attempt } from "../readers/make-form.ts";
import { useNeedsVerification, VerifyFirst } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page.tsx";
import { Step, StepButtons, StepHint, Steps } from "../ui/steps.tsx";

/**
 * A form in three steps: its name and settings; its key, made here and saved; the proof that the saved copy opens what is
 * sealed. Only then the form is created, and only the public half is sent: no form exists whose key was never kept.
 */
export function NewFormPage({ note }: { readonly note?: ReactNode }) {
  const [step, setStep] = useState(0);
  const needsVerification = useNeedsVerification();
  const [settings, setSettings] = useState<NewFormSettings>({
    name: "",
    encryption: true,
    isHybrid: true,
    piiStrip: false,
  });
  const { progress, begin, markSaved, markProved } = useNewKey();
  const newKey = progress?.newKey;
  const tried = useRef<Tried<Attempt>>({});
  const isDone = useRef(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { wizard } = text.forms;

  const making = useMutation({
    mutationFn: ({ name, isHybrid }: NewFormSettings) => makeKey({ formName: name, keyVersion: 1 }, isHybrid),
    onSuccess: begin,
  });
  const creating = useMutation({
    mutationFn: ({ newKey }: NewKeyProgress) => {
      const { name, encryption, piiStrip } = settings;
      const { attempt } = tried.current;
      const isSame = attempt?.newKey === newKey && JSON.stringify(attempt.settings) === JSON.stringify(settings);
      if (!isSame) tried.current.attempt = undefined;
      return sendAttempt(
        tried.current,
        async () => ({ settings, newKey, formId: await reserveForm() }),
        async ({ formId }) => {
          const form = { formId, name, ...publicKeysOf(newKey), settings: { encryption, piiStrip } };
          await orArrived(
            () => client.forms.create(form),
            () => hasForm(formId),
          );
          return formId;
        },
      );
    },
    onSuccess: async (formId, { provenKey }) => {
      isDone.current = true;
      if (provenKey !== undefined) addKeys(formId, [labelKey(provenKey, formId, 1)]);
      // It was proved before it was sent. Should this not arrive, unlocking the form says it again.
      await reportProof(formId, 1);
      await queryClient.invalidateQueries({ queryKey: ["forms"] });
      await navigate({ to: "/forms/$formId/embed", params: { formId }, replace: true });
    },
  });
  // While another key is being made, nothing continues with the one before.
  const isSaved = progress?.isSaved === true && !making.isPending;
  const isNameRefused = creating.error instanceof ApiError && [400, 409].includes(creating.error.status);
  const guard = useLeaveGuard(() => newKey !== undefined && !isDone.current, wizard.leave);

  return (
    <div className="mx-auto max-w-2xl">
      <div className="print:hidden">
        <PageHeader title={text.pages.newForm} />
        <Steps current={step} label={wizard.stepLabel} names={wizard.steps} />
        <div className="card p-5 sm:p-7">
          {step === 0 && needsVerification && <VerifyFirst />}
          {step === 0 && !needsVerification && (
            <NameStep
              error={fieldError(creating.error, "name") ?? (creating.isError ? creating.error.message : undefined)}
              onNext={(next) => {
                creating.reset();
                // The file names the form, so another name wants another file.
                const isOther = next.name !== settings.name || next.isHybrid !== settings.isHybrid;
                if (newKey === undefined || isOther) making.mutate(next);
                setSettings(next);
                setStep(1);
              }}
              settings={settings}
            >
              {note}
            </NameStep>
          )}
          {step === 1 && (
            <Step intro={wizard.keyIntro} title={wizard.keyTitle}>
              {making.isError && (
                <ErrorNotice error={making.error} what={wizard.keyFailed} onRetry={() => making.mutate(settings)} />
              )}
              {progress === undefined || making.isPending ? (
                <Button className="justify-self-start" look="quiet" pending>
                  {wizard.makingKey}
                </Button>
              ) : (
                <SaveKey
                  key={progress.newKey.fingerprint}
                  newKey={progress.newKey}
                  onSaved={() => markSaved(progress.newKey)}
                />
              )}
              <StepButtons onBack={() => setStep(0)}>
                <Button disabled={!isSaved} look={isSaved ? "primary" : "secondary"} onClick={() => setStep(2)}>
                  {text.common.next}
                </Button>
                <StepHint isDone={isSaved}>{wizard.saveFirst}</StepHint>
              </StepButtons>
            </Step>
          )}
          {step === 2 && progress !== undefined && (
            <Step intro={wizard.proveIntro} title={wizard.proveTitle}>
              <ProveKey
                isProved={progress.provenKey !== undefined}
                newKey={progress.newKey}
                onProved={(key) => markProved(progress.newKey, key)}
              />
              {creating.isError && <ErrorNotice error={creating.error} />}
              <StepButtons onBack={() => setStep(1)}>
                <Button
                  disabled={progress.provenKey === undefined}
                  look="primary"
                  onClick={() => creating.mutate(progress)}
                  pending={creating.isPending}
                >
                  {wizard.create}
                </Button>
                {isNameRefused && <Button onClick={() => setStep(0)}>{wizard.changeName}</Button>}
                <StepHint isDone={progress.provenKey !== undefined}>{wizard.createLocked}</StepHint>
              </StepButtons>
            </Step>
          )}
        </div>
      </div>
      {newKey !== undefined && <RecoverySheet formName={settings.name} newKey={newKey} />}
      {guard.question}
    </div>
  );
}
