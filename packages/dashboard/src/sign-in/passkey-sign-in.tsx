import { ApiError } from "@sealpost/sdk";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { findPasskeySupport, isOfKey, PasskeyRefused, passkeyApi } from "../api/passkey-api.ts";
import { PasskeyError } from "../session/passkey-confirm.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";

const { passkeys: texts } = text;

type Answer = Awaited<ReturnType<typeof passkeyApi.ask>>;

/** Signs in with a passkey: by the button, or as the browser offers it where the address is typed. No part of the first load. */
export default function PasskeySignIn({
  isOffered,
  onSignedIn,
}: {
  /** Whether the browser may offer passkeys where the address is typed. */
  readonly isOffered: boolean;
  readonly onSignedIn: () => Promise<void>;
}) {
  // Another offer after each attempt: a challenge counts once.
  const [attempts, setAttempts] = useState(0);
  const offer = useRef<AbortController>(undefined);
  const entering = useMutation({
    mutationFn: async (given?: Answer) => {
      offer.current?.abort();
      const answer = given ?? (await passkeyApi.ask("sign-in"));
      if (isOfKey(answer)) throw new PasskeyRefused(texts.ofKey);
      await passkeyApi.finish("sign-in", answer).catch((error: unknown) => {
        if (error instanceof ApiError && error.reason === "passkey_unknown") forget(answer.id ?? "");
        throw error;
      });
    },
    meta: { isSignIn: true, changesNothing: true },
    onSuccess: onSignedIn,
    onError: () => setAttempts((count) => count + 1),
  });
  const isAvailable = findPasskeySupport() === "available";
  const { mutate } = entering;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt has an offer of its own
  useEffect(() => {
    if (!isAvailable || !isOffered) return;
    const controller = new AbortController();
    offer.current = controller;
    offerPasskeys(controller.signal).then(
      (answer) => answer && mutate(answer),
      () => undefined, // the button says what is wrong, when it is pressed
    );
    return () => controller.abort();
  }, [attempts, isAvailable, isOffered, mutate]);

  if (!isAvailable) return null;
  return (
    <div className="grid gap-3">
      {entering.isError && <PasskeyError error={entering.error} />}
      <Button onClick={() => entering.mutate(undefined)} pending={entering.isPending || entering.isSuccess}>
        {texts.signIn}
      </Button>
    </div>
  );
}

async function offerPasskeys(signal: AbortSignal): Promise<Answer | undefined> {
  if ((await PublicKeyCredential.isConditionalMediationAvailable?.()) !== true || signal.aborted) return undefined;
  return passkeyApi.ask("sign-in", { isQuiet: true, signal });
}

/** Tells the password manager that a passkey is of no use, so that it offers it no longer. Few browsers know this yet. */
function forget(credentialId: string): void {
  const signals: { signalUnknownCredential?: (unknown: { rpId: string; credentialId: string }) => Promise<void> } =
    PublicKeyCredential;
  signals.signalUnknownCredential?.({ rpId: window.location.hostname, credentialId }).catch(() => undefined);
}
