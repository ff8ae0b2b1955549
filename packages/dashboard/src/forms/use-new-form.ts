import { ApiError } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { orArrived, sendAttempt, type Tried } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { hasForm, reserveForm } from "../api/form-api.ts";
import type { NewFormSettings } from "../form/name-step.tsx";
import { addKeys, labelKey } from "../keys/keyring.ts";
import { makeKey, publicKeysOf } from "../keys/new-key.ts";
import { reportProof } from "../keys/report-proofs.ts";
import { type NewKeyProgress, useNewKey } from "../keys/use-new-key.ts";
import type { Attempt } from "../readers/make-form.ts";
import { withFreshSession } from "../session/fresh-session.tsx";

/** A form whose key is made, saved and proved before it is created, in steps that somebody goes back and forth between. */
export function useNewForm() {
  const [step, setStep] = useState(0);
  const [settings, setSettings] = useState<NewFormSettings>({
    name: "",
    encryption: true,
    isHybrid: true,
    piiStrip: false,
  });
  const { progress, begin, markSaved, markProved } = useNewKey();
  const newKey = progress?.newKey;
  const making = useMutation({
    mutationFn: ({ name, isHybrid }: NewFormSettings) => makeKey({ formName: name, keyVersion: 1 }, isHybrid),
    onSuccess: begin,
  });
  const { creating, isDone } = useCreating(settings);

  function choose(next: NewFormSettings): void {
    creating.reset();
    // The file names the form, so another name wants another file.
    const isOther = next.name !== settings.name || next.isHybrid !== settings.isHybrid;
    if (newKey === undefined || isOther) making.mutate(next);
    setSettings(next);
    setStep(1);
  }
  return {
    ...{ step, setStep, settings, choose, progress, markSaved, markProved, making, creating },
    // While another key is being made, nothing continues with the one before.
    isSaved: progress?.isSaved === true && !making.isPending,
    isNameRefused: creating.error instanceof ApiError && [400, 409].includes(creating.error.status),
    /** A key that is nowhere else yet. */
    holdsKey: () => newKey !== undefined && !isDone.current,
  };
}

function useCreating(settings: NewFormSettings) {
  const tried = useRef<Tried<Attempt>>({});
  const isDone = useRef(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
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
            () => withFreshSession(() => client.forms.create(form)),
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
  return { creating, isDone };
}
