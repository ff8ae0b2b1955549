import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { RevokeApiKeys } from "../session/revoke-api-keys.tsx";
import { hasMail } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
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
  const texts = text.session;
  return (
    <SessionFrame intro={texts.forgotIntro} title={text.pages.resetPassword}>
      {hasMail() ? (
        <MailForm />
      ) : (
        <div className="grid gap-4">
          <Notice>{texts.forgotUnavailable}</Notice>
          <SignInLink />
        </div>
      )}
    </SessionFrame>
  );
}

function MailForm() {
  const texts = text.session;
  const fields = useFields({
    initial: { email: findTypedAddress() ?? "" },
    passing: "way_in",
    send: ({ email }) => sessionApi.requestReset(email),
  });
  return (
    <FieldsForm fields={fields}>
      <div className="empty:absolute" role="status">
        {fields.isSent && <Notice tone="good">{texts.forgotSent}</Notice>}
      </div>
      <TextField
        {...fields.text("email")}
        autoComplete="username"
        autoFocus
        label={texts.email}
        required
        type="email"
      />
      <Button className="mt-2" look="primary" pending={fields.isPending} type="submit">
        {texts.forgotSend}
      </Button>
      <SignInLink />
    </FieldsForm>
  );
}

function NewPassword({ token, onAgain }: { readonly token: string; readonly onAgain: () => void }) {
  const texts = text.session;
  const [isDone, setIsDone] = useState(false);
  return (
    <SessionFrame intro={texts.resetIntro} title={texts.resetTitle}>
      {isDone ? (
        <div className="grid gap-4">
          <Notice role="status" tone="good">
            {texts.resetDone}
          </Notice>
          <Link className={buttonClass("primary")} to="/sign-in">
            {texts.signIn}
          </Link>
        </div>
      ) : (
        <NewPasswordForm onAgain={onAgain} onDone={() => setIsDone(true)} token={token} />
      )}
    </SessionFrame>
  );
}

function NewPasswordForm({
  token,
  onAgain,
  onDone,
}: {
  readonly token: string;
  readonly onAgain: () => void;
  readonly onDone: () => void;
}) {
  const texts = text.session;
  const fields = useFields({
    initial: { newPassword: "", revokeApiKeys: true },
    passing: "way_in",
    send: async (reset) => {
      const { refuseKeyPassphraseIfSignedIn } = await import("../personal-key/refuse-key-passphrase.ts");
      await refuseKeyPassphraseIfSignedIn(reset.newPassword);
      return sessionApi.resetPassword({ token, ...reset });
    },
    onSaved: () => {
      forgetResetToken();
      onDone();
    },
  });
  const isUsed = isUsedLink(fields.error);
  return (
    <FieldsForm
      fields={fields}
      notice={<ErrorNotice error={fields.error} what={isUsed ? texts.resetMayHaveWorked : undefined} />}
    >
      {isUsed && (
        <Link className={buttonClass()} to="/sign-in">
          {texts.signIn}
        </Link>
      )}
      <PasswordField
        {...fields.secret("newPassword")}
        autoComplete="new-password"
        autoFocus
        hint={texts.resetHint}
        label={texts.resetPassword}
        maxLength={128}
        minLength={10}
        required
      />
      <RevokeApiKeys {...fields.tick("revokeApiKeys")} />
      <Button className="mt-2" look="primary" pending={fields.isPending} type="submit">
        {texts.resetSave}
      </Button>
      {fields.isElsewhere && <Button onClick={onAgain}>{texts.resetAgain}</Button>}
    </FieldsForm>
  );
}

function SignInLink() {
  return (
    <Link className="py-1 text-center font-medium text-accent pointer-coarse:py-3" to="/sign-in">
      {text.session.signInLink}
    </Link>
  );
}
