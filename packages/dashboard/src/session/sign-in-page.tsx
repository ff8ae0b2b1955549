import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
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
  const router = useRouter();
  const notice =
    reason === "ended" ? (
      <Notice role="status">{text.session.ended}</Notice>
    ) : (
      reason === "signed-out" && (
        <Notice role="status" tone="good">
          {text.session.signedOut}
        </Notice>
      )
    );
  return (
    <SignIn
      intro={text.session.signInIntro}
      notice={notice}
      // Only a path of the app itself: the search validation lets nothing else through.
      onSignedIn={() => router.history.replace(next ?? "/")}
      title={text.session.signInTitle}
    >
      {findSignUpState() === "open" && (
        <Link className="text-center font-medium text-accent" to="/sign-up">
          {text.session.signUpLink}
        </Link>
      )}
    </SignIn>
  );
}

/** Asks for address and password, and for a code where one is needed; the address may be given. */
export function SignIn({
  title,
  intro,
  notice,
  email,
  emailHint,
  onSignedIn,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  /** Why somebody is here, until a sign-in has failed. */
  readonly notice?: ReactNode;
  readonly email?: string;
  readonly emailHint?: string;
  readonly onSignedIn: () => void;
  readonly children?: ReactNode;
}) {
  const queries = useQueryClient();
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
    onSignedIn();
  }

  if (isCodeNeeded) return <CodeStep onSignedIn={enter} onStartAgain={() => setIsCodeNeeded(false)} />;
  const isGiven = email !== undefined;
  return (
    <SessionFrame intro={intro} title={title}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          signIn.mutate({ email: String(data.get("email")), password: String(data.get("password")) });
        }}
      >
        {!signIn.isError && notice}
        {signIn.isError && <ErrorNotice error={signIn.error} />}
        <TextField
          autoComplete="username"
          autoFocus={!isGiven}
          defaultValue={email}
          hint={emailHint}
          label={text.session.email}
          name="email"
          readOnly={isGiven}
          required
          type="email"
        />
        <PasswordField
          autoComplete="current-password"
          autoFocus={isGiven}
          label={text.session.password}
          name="password"
          required
        />
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
        {children}
      </form>
    </SessionFrame>
  );
}
