import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { findSignUpState, hasMail, hasProvider, sessionQuery } from "../session/session.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { CodeStep } from "./code-step.tsx";
import { SessionFrame } from "./session-frame.tsx";
import { noteTypedAddress } from "./typed-address.ts";

/** No part of the first load: most instances have no identity provider. */
const ProviderSignIn = lazy(loading(() => import("../session/identity-provider.tsx")));
/** Neither is this: the page is of use before. */
const PasskeySignIn = lazy(loading(() => import("./passkey-sign-in.tsx")));
const ProviderNotice = lazy(loading(() => import("./provider-notice.tsx")));

export function SignInPage() {
  const { next, reason, oidc, step } = useSearch({ from: "/sign-in" });
  const router = useRouter();
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState(oidc);
  // Said once: a reload would say it again.
  useEffect(() => {
    if (oidc === undefined) return;
    setRefusal(oidc);
    void navigate({ to: "/sign-in", search: { next, reason, step }, replace: true });
  }, [oidc, next, reason, step, navigate]);
  const notice =
    refusal !== undefined ? (
      <Suspense>
        <ProviderNotice code={refusal} />
      </Suspense>
    ) : (
      reason && (
        <Notice role="status" tone={reason === "ended" || reason === "joining" ? "info" : "good"}>
          {text.session.reasons[reason]}
        </Notice>
      )
    );
  return (
    <SignIn
      intro={text.session.signInIntro}
      isCodeNext={step === "code"}
      // In the address, so that a phone that loads the page again on the way back from the app asks for the code, not for the password.
      onCodeStep={(isCodeNeeded) =>
        void navigate({
          to: "/sign-in",
          search: { next, reason, step: isCodeNeeded ? "code" : undefined },
          replace: true,
        })
      }
      next={next}
      notice={notice}
      // Only a path of the app itself: the search validation lets nothing else through.
      onSignedIn={() => router.history.replace(next ?? "/")}
      title={text.pages.signIn}
    >
      {findSignUpState() === "open" && (
        <Link className="py-1 text-center font-medium text-accent" to="/sign-up">
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
  isCodeNext = false,
  onCodeStep,
  next,
  invitation,
  onSignedIn,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  /** Why somebody is here, until a sign-in has failed. */
  readonly notice?: ReactNode;
  readonly email?: string;
  readonly emailHint?: string;
  /** The identity provider has said who it is; the code is still to come. */
  readonly isCodeNext?: boolean;
  /** The code is asked for now, or the password once more. */
  readonly onCodeStep?: (isCodeNeeded: boolean) => void;
  /** For the way to the identity provider and back. */
  readonly next?: string | undefined;
  readonly invitation?: string;
  readonly onSignedIn: () => void;
  readonly children?: ReactNode;
}) {
  const queries = useQueryClient();
  const [isCodeNeeded, setIsCodeNeeded] = useState(isCodeNext);
  const askForCode = (isNeeded: boolean) => {
    setIsCodeNeeded(isNeeded);
    onCodeStep?.(isNeeded);
  };
  const signIn = useMutation({
    mutationFn: sessionApi.signIn,
    meta: { isSignIn: true },
    onSuccess: async ({ twoFactorRedirect }) => {
      if (twoFactorRedirect === true) askForCode(true);
      else await enter();
    },
  });

  async function enter(): Promise<void> {
    queries.clear();
    await queries.fetchQuery(sessionQuery);
    onSignedIn();
  }

  if (isCodeNeeded) return <CodeStep onSignedIn={enter} onStartAgain={() => askForCode(false)} />;
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
          autoComplete="username webauthn"
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
          <Link
            className="py-1 text-center font-medium text-accent"
            onClick={({ currentTarget }) => {
              const form = currentTarget.closest("form");
              if (form) noteTypedAddress(String(new FormData(form).get("email")));
            }}
            to="/reset-password"
          >
            {text.session.forgotLink}
          </Link>
        ) : (
          <p className="text-center text-muted text-sm">
            {text.session.forgotLink} {text.session.forgotUnavailable}
          </p>
        )}
        {children}
        <Suspense>
          <PasskeySignIn isOffered={!isGiven} onSignedIn={enter} />
        </Suspense>
        {hasProvider() && (
          <Suspense>
            <ProviderSignIn invitation={invitation} next={next} />
          </Suspense>
        )}
      </form>
    </SessionFrame>
  );
}
