import { normalizePassphrase } from "@sealpost/envelope";
import { type EstimateBits, hasUncommonCharacters, loadEstimator, strengthBitsMin } from "@sealpost/vault";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { identitiesQuery } from "../api/provider-api.ts";
import { hasProvider, useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";
import { useErrorFocus } from "../ui/use-field-errors.ts";
import { AskForPassword } from "./ask-for-password.tsx";
import { PassphraseField } from "./passphrase-field.tsx";

const { ownPassphrase } = text;

const texts = ownPassphrase;
const lengthMax = 500;

interface Refusal {
  readonly field: "passphrase" | "repeated";
  readonly sentence: string;
}

/** Has a passphrase chosen: strong enough, typed twice, and not the sign-in password. It is sent nowhere. */
export function OwnPassphrase({
  before,
  onChosen,
  onBack,
}: {
  /** The one that was chosen here before. */
  readonly before: string;
  readonly onChosen: (passphrase: string) => void;
  readonly onBack: () => void;
}) {
  const { user } = useSession();
  const estimator = useQuery({
    queryKey: ["passphrase-estimator"],
    queryFn: async () => ({ estimate: await loadEstimator() }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [typed, setTyped] = useState(before);
  const [repeated, setRepeated] = useState(before);
  const [refusal, setRefusal] = useState<Refusal>();
  const [isAsking, setIsAsking] = useState(false);
  const hasPassword = useHasPassword();
  const form = useErrorFocus(refusal ?? null);
  const estimate = estimator.data?.estimate;
  const own = [user.email, user.name, window.location.hostname];
  const refuse = (sentence: string) => setRefusal({ field: "passphrase", sentence });
  const errorAt = (field: Refusal["field"]) => (refusal?.field === field ? refusal.sentence : undefined);

  function submit(withEstimate: EstimateBits): void {
    const found = findRefusal({ typed, repeated }, (passphrase) => withEstimate(passphrase, own));
    setRefusal(found);
    if (found !== undefined) return;
    if (hasPassword) setIsAsking(true);
    else onChosen(typed);
  }

  function accept(password: string): void {
    setIsAsking(false);
    // Its parts are known to everybody who knows the password.
    if (estimate && estimate(typed, [...own, password]) >= strengthBitsMin) onChosen(typed);
    else refuse(texts.likePassword);
  }

  return (
    <Step intro={texts.intro} title={texts.title}>
      {estimator.isError && <ErrorNotice error={estimator.error} onRetry={() => estimator.refetch()} />}
      <form
        className="grid gap-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (estimate) submit(estimate);
        }}
        ref={form}
      >
        {/* A password manager keeps it next to the sign-in, and does not take it for a new password of that. */}
        <input autoComplete="username" hidden readOnly value={texts.entry(user.email)} />
        <PassphraseField
          autoComplete="new-password"
          error={errorAt("passphrase")}
          hint={texts.hint}
          label={texts.label}
          maxLength={lengthMax}
          onChange={(event) => {
            setTyped(event.target.value);
            setRefusal(undefined);
          }}
          value={typed}
        />
        <p className="text-muted empty:absolute" role="status">
          {estimate && typed !== "" ? describeStrength(estimate(typed, own)) : ""}
        </p>
        <PassphraseField
          autoComplete="new-password"
          error={errorAt("repeated")}
          label={texts.repeat}
          maxLength={lengthMax}
          onChange={(event) => {
            setRepeated(event.target.value);
            setRefusal(undefined);
          }}
          value={repeated}
        />
        <StepButtons onBack={onBack}>
          <Button look="primary" pending={estimator.isPending} type="submit">
            {text.common.next}
          </Button>
        </StepButtons>
      </form>
      {isAsking && (
        <AskForPassword
          onAlike={() => {
            setIsAsking(false);
            refuse(texts.isPassword);
          }}
          onClose={() => setIsAsking(false)}
          onRight={accept}
          passphrase={typed}
        />
      )}
    </Step>
  );
}

function findRefusal(
  { typed, repeated }: { readonly typed: string; readonly repeated: string },
  estimate: (passphrase: string) => number,
): Refusal | undefined {
  if (normalizePassphrase(typed) === "") return { field: "passphrase", sentence: texts.empty };
  if (hasUncommonCharacters(typed)) return { field: "passphrase", sentence: texts.uncommon };
  if (estimate(typed) < strengthBitsMin) return { field: "passphrase", sentence: texts.weak };
  const isSame = normalizePassphrase(typed) === normalizePassphrase(repeated);
  return isSame ? undefined : { field: "repeated", sentence: repeated === "" ? texts.repeatIt : texts.differs };
}

function describeStrength(bits: number): string {
  return bits < strengthBitsMin ? texts.bitsSoFar(Math.floor(bits), strengthBitsMin) : texts.strong;
}

/** Whether the person signs in with a password, if that is known. */
function useHasPassword(): boolean {
  const { data } = useQuery({ ...identitiesQuery, enabled: hasProvider() });
  return data?.hasPassword !== false;
}
