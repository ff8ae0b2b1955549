import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { RevokeApiKeys } from "../session/revoke-api-keys.tsx";
import { hasMail } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { forgetResetToken, takeResetToken } from "./reset-token.ts";
import { SessionFrame } from "./session-frame.tsx";
import { findTypedAddress } from "./typed-address.ts";
import { isUsedLink } from "./used-link.ts";

/** Asks for a mail; with the token of its link, asks for the new password. */
export function ResetPasswordPage() {
  const [token, setToken] = useState(takeResetToken);
  // Pasting the link into a tab that is already here changes only the part after the #.
  useEffect(() => {
    const take = () => setToken(takeResetToken());
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  const askAgain = () => {
    forgetResetToken();
    setToken(undefined);
  };
  if (token !== undefined) return <NewPassword onAgain={askAgain} token={token} />;
  return <AskForMail />;
}

function AskForMail() {
  const asking = useMutation({ mutationFn: sessionApi.requestReset });
  const fieldErrors = useFieldErrors(asking.error, ["email"]);
  const texts = text.session;
  return (
    <SessionFrame intro={texts.forgotIntro} title={text.pages.resetPassword}>
      {hasMail() ? (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            asking.mutate(String(new FormData(event.currentTarget).get("email")));
          }}
          ref={fieldErrors.form}
        >
          {fieldErrors.isElsewhere && <ErrorNotice error={asking.error} />}
          <div className="empty:absolute" role="status">
            {asking.isSuccess && <Notice tone="good">{texts.forgotSent}</Notice>}
          </div>
          <TextField
            autoComplete="username"
            autoFocus
            defaultValue={findTypedAddress()}
            error={fieldErrors.at("email")}
            label={texts.email}
            name="email"
            required
            type="email"
          />
          <Button className="mt-2" look="primary" pending={asking.isPending} type="submit">
            {texts.forgotSend}
          </Button>
          <SignInLink />
        </form>
      ) : (
        <div className="grid gap-4">
          <Notice>{texts.forgotUnavailable}</Notice>
          <SignInLink />
        </div>
      )}
    </SessionFrame>
  );
}

function NewPassword({ token, onAgain }: { readonly token: string; readonly onAgain: () => void }) {
  const saving = useMutation({
    mutationFn: async (reset: Parameters<typeof sessionApi.resetPassword>[0]) => {
      const { refuseKeyPassphraseIfSignedIn } = await import("../personal-key/refuse-key-passphrase.ts");
      await refuseKeyPassphraseIfSignedIn(reset.newPassword);
      return sessionApi.resetPassword(reset);
    },
    onSuccess: forgetResetToken,
  });
  const fieldErrors = useFieldErrors(saving.error, ["newPassword"]);
  const isUsed = isUsedLink(saving.error);
  const texts = text.session;
  return (
    <SessionFrame intro={texts.resetIntro} title={texts.resetTitle}>
      {saving.isSuccess ? (
        <div className="grid gap-4">
          <Notice role="status" tone="good">
            {texts.resetDone}
          </Notice>
          <Link className={buttonClass("primary")} to="/sign-in">
            {texts.signIn}
          </Link>
        </div>
      ) : (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            const data = new FormData(event.currentTarget);
            const revokeApiKeys = data.has("revokeApiKeys");
            saving.mutate({ token, newPassword: String(data.get("password")), revokeApiKeys });
          }}
          ref={fieldErrors.form}
        >
          {fieldErrors.isElsewhere && (
            <ErrorNotice error={saving.error} what={isUsed ? texts.resetMayHaveWorked : undefined} />
          )}
          {isUsed && (
            <Link className={buttonClass()} to="/sign-in">
              {texts.signIn}
            </Link>
          )}
          <PasswordField
            autoComplete="new-password"
            autoFocus
            error={fieldErrors.at("newPassword")}
            hint={texts.resetHint}
            label={texts.resetPassword}
            maxLength={128}
            minLength={10}
            name="password"
            required
          />
          <RevokeApiKeys />
          <Button className="mt-2" look="primary" pending={saving.isPending} type="submit">
            {texts.resetSave}
          </Button>
          {fieldErrors.isElsewhere && <Button onClick={onAgain}>{texts.resetAgain}</Button>}
        </form>
      )}
    </SessionFrame>
  );
}

function SignInLink() {
  return (
    <Link className="py-1 text-center font-medium text-accent" to="/sign-in">
      {text.session.signInLink}
    </Link>
  );
}
