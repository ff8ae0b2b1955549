import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { CodeStep } from "./code-step.tsx";
import { findSignUpState, hasMail, sessionQuery } from "./session.ts";
import { SessionFrame } from "./session-frame.tsx";

export function SignInPage() {
  const { next, reason } = useSearch({ from: "/sign-in" });
  const queries = useQueryClient();
  const router = useRouter();
  const [isCodeNeeded, setIsCodeNeeded] = useState(false);
  const signIn = useMutation({
    mutationFn: sessionApi.signIn,
    meta: { isSignIn: true },
    onSuccess: async ({ twoFactorRedirect }) => {
      if (twoFactorRedirect === true) setIsCodeNeeded(true);
      else await enter();
    },
  });

  async function enter(): Promise<void> {
    queries.clear();
    await queries.fetchQuery(sessionQuery);
    // Only a path of the app itself: the search validation lets nothing else through.
    router.history.replace(next ?? "/");
  }

  if (isCodeNeeded) return <CodeStep onSignedIn={enter} onStartAgain={() => setIsCodeNeeded(false)} />;
  return (
    <SessionFrame intro={text.session.signInIntro} title={text.session.signInTitle}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          signIn.mutate({ email: String(data.get("email")), password: String(data.get("password")) });
        }}
      >
        {reason === "ended" && !signIn.isError && <Notice role="status">{text.session.ended}</Notice>}
        {reason === "signed-out" && !signIn.isError && (
          <Notice role="status" tone="good">
            {text.session.signedOut}
          </Notice>
        )}
        {signIn.isError && <ErrorNotice error={signIn.error} />}
        <TextField autoComplete="username" autoFocus label={text.session.email} name="email" required type="email" />
        <PasswordField autoComplete="current-password" label={text.session.password} name="password" required />
        <Button className="mt-2" look="primary" pending={signIn.isPending} type="submit">
          {text.session.signIn}
        </Button>
        {hasMail() ? (
          <Link className="text-center font-medium text-accent" to="/reset-password">
            {text.session.forgotLink}
          </Link>
        ) : (
          <p className="text-center text-muted text-sm">
            {text.session.forgotLink} {text.session.forgotUnavailable}
          </p>
        )}
        {findSignUpState() === "open" && (
          <Link className="text-center font-medium text-accent" to="/sign-up">
            {text.session.signUpLink}
          </Link>
        )}
      </form>
    </SessionFrame>
  );
}
