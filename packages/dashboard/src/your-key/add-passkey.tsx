import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { PasskeyRefused, passkeysQuery } from "../api/passkey-api.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { addCopy, type TriedCopy } from "../key-copies/add-copy.ts";
import { PasskeyWithoutPrf } from "../key-copies/passkey-without-prf.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Step, StepButtons } from "../ui/steps.tsx";

const { personalKey } = text;

const texts = personalKey.ways;

/** Seals the key for the passkey that its fields name, and sends the copy. */
function usePasskeyFields(onEnd: (said?: string) => void) {
  const queryClient = useQueryClient();
  const { user } = useSession();
  /** A passkey that was made, and its copy, whose answer may be lost: the next press makes no other. */
  const made = useRef<{ readonly key: string; readonly tried: TriedCopy; identity?: string | undefined }>(undefined);
  return useFields<{ readonly name: string; readonly which: "own" | "new" }, { readonly name: string }>({
    initial: { name: texts.passkeyDefault, which: "new" },
    passing: "choice",
    send: async ({ name, which }) => {
      const { createKeyPasskey, createPasskeyPrompt } = await import("../key-copies/ask-for-passkey.ts");
      const key = JSON.stringify([which, name.trim()]);
      if (made.current?.key !== key || made.current.tried.attempt === undefined) made.current = { key, tried: {} };
      const current = made.current;
      if (which === "new") current.identity ??= await createKeyPasskey(texts.passkeyOfKey(user.email));
      const passkey = { passkey: "asked" } as const;
      const askPasskey = createPasskeyPrompt(current.identity);
      return addCopy({ way: "passkey", name: name.trim(), to: passkey, secret: passkey, askPasskey }, current.tried);
    },
    onRefused: () => queryClient.invalidateQueries(personalKeyQuery),
    onSaved: async (copy) => {
      await queryClient.invalidateQueries(personalKeyQuery);
      onEnd(texts.added(copy.name));
    },
  });
}

/** Adds a passkey as a way to unlock: one that signs in already, where it can, or a new one. */
export function AddPasskey({ onEnd }: { readonly onEnd: (said?: string) => void }) {
  const signIn = useQuery(passkeysQuery);
  const hasOwn = (signIn.data?.passkeys.length ?? 0) > 0;
  const fields = usePasskeyFields(onEnd);
  const choose = fields.choice("which").onChange;
  return (
    <div className="card p-5 sm:p-7">
      <Step intro={texts.passkeyIntro} title={texts.passkeyTitle}>
        <FieldsForm fields={fields} notice={fields.error !== null && <PasskeyNotice error={fields.error} />}>
          <TextField
            {...fields.text("name")}
            autoComplete="off"
            className="max-w-md"
            hint={texts.passkeyNameHint}
            label={texts.passkeyName}
            maxLength={60}
            required
          />
          {hasOwn && <p className="text-muted">{texts.passkeyOwnHint}</p>}
          <StepButtons onBack={() => onEnd()}>
            <Button
              look="primary"
              onClick={() => choose(hasOwn ? "own" : "new")}
              pending={fields.isPending}
              type="submit"
            >
              {hasOwn ? texts.passkeyOwn : texts.passkeyNew}
            </Button>
            {hasOwn && (
              <Button onClick={() => choose("new")} type="submit">
                {texts.passkeyNew}
              </Button>
            )}
          </StepButtons>
        </FieldsForm>
      </Step>
    </div>
  );
}

function PasskeyNotice({ error }: { readonly error: Error }) {
  if (error instanceof PasskeyWithoutPrf)
    return (
      <Notice role="alert" tone="warning">
        {texts.noPrf}
      </Notice>
    );
  if (error instanceof PasskeyRefused) return <Notice role="alert">{error.message}</Notice>;
  return <ErrorNotice error={error} />;
}
