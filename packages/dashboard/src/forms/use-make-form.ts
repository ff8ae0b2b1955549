import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Tried } from "../api/attempt.ts";
import { Cancelled, Explained } from "../api/describe-error.ts";
import type { NewFormSettings } from "../form/name-step.tsx";
import { addEnvelopeKeys } from "../keys/keyring.ts";
import { reportProof } from "../keys/report-proofs.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { useFirstSight } from "../readers/first-sight.ts";
import { type Attempt, type MakingStep, makeForm } from "../readers/make-form.ts";
import { text } from "../texts/text.ts";

const { create } = text.envelopes;

/** Makes a form whose key is sealed for the person, as soon as their key is open; leads to it, unless its key is to be saved as a file too. */
export function useMakeForm() {
  const context = useEnvelopeContext();
  const [settings, setSettings] = useState<NewFormSettings>({
    name: "",
    encryption: true,
    isHybrid: true,
    piiStrip: false,
  });
  const [wantsFile, setWantsFile] = useState(false);
  const [step, setStep] = useState<MakingStep>("list");
  const tried = useRef<Tried<Attempt>>({});
  const finish = useFinish();
  const { accept } = useFirstSight(context);
  const making = useMutation({
    mutationFn: (next: NewFormSettings) =>
      context === undefined
        ? Promise.reject(new Explained(create.unlock))
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
  const { mutateAsync } = making;
  const { isWaiting, wait, cancel } = useUntil(context !== undefined);

  /** Ends once the form is made. */
  async function make(next: NewFormSettings): Promise<void> {
    setSettings(next);
    // An organization that was not shown before this press is asked about once the key is open.
    await accept();
    await wait();
    const made = await mutateAsync(next);
    if (made.kind === "list") throw new Cancelled();
  }
  return { context, settings, making, step, make, isWaiting, cancel, wantsFile, setWantsFile, finish };
}

/** Lets something wait for `isReady`. */
function useUntil(isReady: boolean) {
  const [waiting, setWaiting] = useState<PromiseWithResolvers<void>>();
  useEffect(() => {
    if (!isReady || waiting === undefined) return;
    setWaiting(undefined);
    waiting.resolve();
  }, [isReady, waiting]);
  return {
    isWaiting: waiting !== undefined,
    wait: (): Promise<void> => {
      if (isReady) return Promise.resolve();
      const next = Promise.withResolvers<void>();
      setWaiting(next);
      return next.promise;
    },
    cancel: () => {
      setWaiting(undefined);
      waiting?.reject(new Cancelled());
    },
  };
}

export function useFinish() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (formId: string) => {
    await queryClient.invalidateQueries({ queryKey: ["forms"] });
    // Nothing of what was typed is left to be lost.
    await navigate({ to: "/forms/$formId/embed", params: { formId }, replace: true, ignoreBlocker: true });
  };
}
