import { normalizePassphrase } from "@sealpost/envelope";
import { hasUncommonCharacters, loadEstimator, strengthBitsMin } from "@sealpost/vault";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { identitiesQuery } from "../api/provider-api.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import type { Mistakes } from "../form-kit/mistakes.ts";
import { useFields } from "../form-kit/use-fields.ts";
import { hasProvider, useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";
import { AskForPassword } from "./ask-for-password.tsx";
import { PassphraseField } from "./passphrase-field.tsx";

const { ownPassphrase } = text;

const texts = ownPassphrase;
const lengthMax = 500;

interface Typed {
  readonly passphrase: string;
  readonly repeated: string;
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
  const estimator = useEstimator();
  const [isAsking, setIsAsking] = useState(false);
  const hasPassword = useHasPassword();
  const { estimate } = estimator;
  const fields = useFields<Typed>({
    initial: { passphrase: before, repeated: before },
    passing: "held_around",
    check: (typed) => estimate && findMistakes(typed, estimate),
    send: ({ passphrase }) => {
      if (estimate === undefined) return;
      if (hasPassword) setIsAsking(true);
      else onChosen(passphrase);
    },
  });
  const { passphrase } = fields.values;

  function accept(password: string): void {
    setIsAsking(false);
    // Its parts are known to everybody who knows the password.
    if (estimate && estimate(passphrase, password) >= strengthBitsMin) onChosen(passphrase);
    else fields.refuse({ passphrase: texts.likePassword });
  }

  return (
    <Step intro={texts.intro} title={texts.title}>
      {estimator.error !== null && <ErrorNotice error={estimator.error} onRetry={estimator.retry} />}
      <FieldsForm fields={fields} isCheckedHere>
        {/* A password manager keeps it next to the sign-in, and does not take it for a new password of that. */}
        <input autoComplete="username" hidden readOnly value={texts.entry(user.email)} />
        <PassphraseField
          {...fields.text("passphrase")}
          autoComplete="new-password"
          hint={texts.hint}
          label={texts.label}
          maxLength={lengthMax}
        />
        <p className="text-muted empty:absolute" role="status">
          {estimate && passphrase !== "" ? describeStrength(estimate(passphrase)) : ""}
        </p>
        <PassphraseField
          {...fields.text("repeated")}
          autoComplete="new-password"
          label={texts.repeat}
          maxLength={lengthMax}
        />
        <StepButtons onBack={onBack}>
          <Button look="primary" pending={estimator.isPending} type="submit">
            {text.common.next}
          </Button>
        </StepButtons>
      </FieldsForm>
      {isAsking && (
        <AskForPassword
          onAlike={() => {
            setIsAsking(false);
            fields.refuse({ passphrase: texts.isPassword });
          }}
          onClose={() => setIsAsking(false)}
          onRight={accept}
          passphrase={passphrase}
        />
      )}
    </Step>
  );
}

/** Bits of a passphrase, to somebody who knows the person, and perhaps a password of theirs. */
type Estimate = (passphrase: string, password?: string) => number;

function useEstimator() {
  const { user } = useSession();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["passphrase-estimator"],
    queryFn: async () => ({ estimate: await loadEstimator() }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const own = [user.email, user.name, window.location.hostname];
  const estimate: Estimate | undefined =
    data && ((passphrase, password) => data.estimate(passphrase, password === undefined ? own : [...own, password]));
  return { estimate, error, isPending, retry: () => void refetch() };
}

function findMistakes({ passphrase, repeated }: Typed, estimate: Estimate): Mistakes {
  if (normalizePassphrase(passphrase) === "") return { passphrase: texts.empty };
  if (hasUncommonCharacters(passphrase)) return { passphrase: texts.uncommon };
  if (estimate(passphrase) < strengthBitsMin) return { passphrase: texts.weak };
  const isSame = normalizePassphrase(passphrase) === normalizePassphrase(repeated);
  return isSame ? {} : { repeated: repeated === "" ? texts.repeatIt : texts.differs };
}

function describeStrength(bits: number): string {
  return bits < strengthBitsMin ? texts.bitsSoFar(Math.floor(bits), strengthBitsMin) : texts.strong;
}

/** Whether the person signs in with a password, if that is known. */
function useHasPassword(): boolean {
  const { data } = useQuery({ ...identitiesQuery, enabled: hasProvider() });
  return data?.hasPassword !== false;
}
