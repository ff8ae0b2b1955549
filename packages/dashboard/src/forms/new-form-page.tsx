import type { ReactNode } from "react";
import { describeError, fieldError } from "../api/describe-error.ts";
import { NameStep } from "../form/name-step.tsx";
import { ProveKey } from "../keys/prove-key.tsx";
import { RecoverySheet } from "../keys/recovery-sheet.tsx";
import { SaveKey } from "../keys/save-key.tsx";
import { useNeedsVerification, VerifyFirst } from "../session/verify-first.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { useLeaveGuard } from "../ui/leave-guard.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page.tsx";
import { Step, StepButtons, StepHint, Steps } from "../ui/steps.tsx";
import { useNewForm } from "./use-new-form.ts";

type NewForm = ReturnType<typeof useNewForm>;

/**
 * A form in three steps: its name and settings; its key, made here and saved; the proof that the saved copy opens what is
 * sealed. Only then the form is created, and only the public half is sent: no form exists whose key was never kept.
 */
export function NewFormPage({ note }: { readonly note?: ReactNode }) {
  const needsVerification = useNeedsVerification();
  const newForm = useNewForm();
  const { step, settings, choose, progress, creating, holdsKey } = newForm;
  const { wizard } = text.forms;
  const sending = { change: creating, of: progress?.newKey, texts: wizard.leaveUnsure };
  const guard = useLeaveGuard(holdsKey, wizard.leave, sending);
  return (
    <div className="mx-auto max-w-2xl">
      <div className="print:hidden">
        <PageHeader title={text.pages.newForm} />
        <Steps current={step} label={wizard.stepLabel} names={wizard.steps} />
        <div className="card p-5 sm:p-7">
          {step === 0 && needsVerification && <VerifyFirst />}
          {step === 0 && !needsVerification && (
            <NameStep
              error={
                fieldError(creating.error, "name") ??
                (creating.isError ? describeError(creating.error).title : undefined)
              }
              onNext={choose}
              settings={settings}
            >
              {note}
            </NameStep>
          )}
          {step === 1 && <SaveStep newForm={newForm} />}
          {step === 2 && <ProveStep newForm={newForm} />}
        </div>
      </div>
      {progress !== undefined && <RecoverySheet formName={settings.name} newKey={progress.newKey} />}
      {guard.question}
    </div>
  );
}

function SaveStep({
  newForm: { making, settings, progress, markSaved, isSaved, setStep },
}: {
  readonly newForm: NewForm;
}) {
  const { wizard } = text.forms;
  return (
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
  );
}

function ProveStep({
  newForm: { creating, progress, markProved, isNameRefused, setStep },
}: {
  readonly newForm: NewForm;
}) {
  const { wizard } = text.forms;
  if (progress === undefined) return null;
  const { newKey, provenKey } = progress;
  return (
    <Step intro={wizard.proveIntro} title={wizard.proveTitle}>
      <ProveKey isProved={provenKey !== undefined} newKey={newKey} onProved={(key) => markProved(newKey, key)} />
      {creating.isError && <ErrorNotice error={creating.error} isRepeatable />}
      <StepButtons onBack={() => setStep(1)}>
        <Button
          disabled={provenKey === undefined}
          look="primary"
          onClick={() => creating.mutate(progress)}
          pending={creating.isPending}
        >
          {wizard.create}
        </Button>
        {isNameRefused && <Button onClick={() => setStep(0)}>{wizard.changeName}</Button>}
        <StepHint isDone={provenKey !== undefined}>{wizard.createLocked}</StepHint>
      </StepButtons>
    </Step>
  );
}
