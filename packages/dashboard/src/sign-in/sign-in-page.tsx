import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { readField, useFields } from "../form-kit/use-fields.ts";
import { findSignUpState, hasMail, hasProvider, sessionQuery } from "../session/session.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { CodeStep } from "./code-step.tsx";
import { SessionFrame } from "./session-frame.tsx";
import { noteTypedAddress } from "./typed-address.ts";

/** No part of the first load: most instances have no identity provider. */
const ProviderSignIn = lazy(loading(() => import("../session/identity-provider.tsx")));
/** Neither is this: the page is of use before. */
const PasskeySignIn = lazy(loading(() => import("./passkey-sign-in.tsx")));
const ProviderNotice = lazy(loading(() => import("./provider-notice.tsx")));

export function SignInPage() {
  const { next, reason, step } = useSearch({ from: "/sign-in" });
  const router = useRouter();
  const navigate = useNavigate();
  // Perhaps somebody who was never here.
  const isJoining = reason === "joining" || reason === "joining-words";
  return (
    <SignIn
      intro={isJoining ? text.session.joinIntro : text.session.signInIntro}
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
      notice={<Reason />}
      // Only a path of the app itself: the search validation lets nothing else through.
      onSignedIn={() => router.history.replace(next ?? "/")}
      title={isJoining ? text.session.joinTitle : text.pages.signIn}
    >
      {findSignUpState() === "open" && (
        <Link className="py-1 text-center font-medium text-accent pointer-coarse:py-3" to="/sign-up">
          {text.session.signUpLink}
        </Link>
      )}
    </SignIn>
  );
}

/** Why somebody is here: what an identity provider's refusal was, or what happened to the session. */
function Reason() {
  const { next, reason, oidc, step } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState(oidc);
  // Said once: a reload would say it again.
  useEffect(() => {
    if (oidc === undefined) return;
    setRefusal(oidc);
    void navigate({ to: "/sign-in", search: { next, reason, step }, replace: true });
  }, [oidc, next, reason, step, navigate]);
  if (refusal !== undefined)
    return (
      <Suspense>
        <ProviderNotice code={refusal} />
      </Suspense>
    );
  if (reason === undefined) return null;
  return (
    <Notice role="status" tone={reason === "signed-out" || reason === "leaving" ? "good" : "info"}>
      {text.session.reasons[reason]}
    </Notice>
  );
}

interface SignInProps {
  readonly title: string;
  readonly intro: string;
  /** Why somebody is here, until a sign-in has failed. */
  readonly notice?: ReactNode;
  readonly email?: string;
  readonly emailHint?: string;
  /** For the way to the identity provider and back. */
  readonly next?: string | undefined;
  readonly invitation?: string;
  readonly children?: ReactNode;
}

/** Asks for address and password, and for a code where one is needed; the address may be given. */
export function SignIn({
  isCodeNext = false,
  onCodeStep,
  onSignedIn,
  ...props
}: SignInProps & {
  /** The identity provider has said who it is; the code is still to come. */
  readonly isCodeNext?: boolean;
  /** The code is asked for now, or the password once more. */
  readonly onCodeStep?: (isCodeNeeded: boolean) => void;
  readonly onSignedIn: () => void;
}) {
  const queries = useQueryClient();
  const [isCodeNeeded, setIsCodeNeeded] = useState(isCodeNext);
  const askForCode = (isNeeded: boolean) => {
    setIsCodeNeeded(isNeeded);
    onCodeStep?.(isNeeded);
  };
  async function enter(): Promise<void> {
    queries.clear();
    await queries.fetchQuery(sessionQuery);
    onSignedIn();
  }
  if (isCodeNeeded) return <CodeStep onSignedIn={enter} onStartAgain={() => askForCode(false)} />;
  return <PasswordForm {...props} onCodeNeeded={() => askForCode(true)} onSignedIn={enter} />;
}

function PasswordForm({
  title,
  intro,
  notice,
  email,
  emailHint,
  next,
  invitation,
  onCodeNeeded,
  onSignedIn,
  children,
}: SignInProps & { readonly onCodeNeeded: () => void; readonly onSignedIn: () => Promise<void> }) {
  const isGiven = email !== undefined;
  const fields = useFields({
    initial: { email: email ?? "", password: "" },
    passing: "way_in",
    isSignIn: true,
    changesNothing: true,
    send: sessionApi.signIn,
    onSaved: ({ twoFactorRedirect }) => (twoFactorRedirect === true ? onCodeNeeded() : onSignedIn()),
  });
  return (
    <SessionFrame intro={intro} title={title}>
      <FieldsForm fields={fields}>
        {fields.error === null && notice}
        <TextField
          {...fields.text("email")}
          autoComplete="username webauthn"
          autoFocus={!isGiven}
          hint={emailHint}
          label={text.session.email}
          readOnly={isGiven}
          required
          type="email"
        />
        <PasswordField
          {...fields.secret("password")}
          autoComplete="current-password"
          autoFocus={isGiven}
          label={text.session.password}
          required
        />
        <Button className="mt-2" look="primary" pending={fields.isPending} type="submit">
          {text.session.signIn}
        </Button>
        <ForgotPassword form={fields.form} />
        {children}
        <OtherWays invitation={invitation} isPasskeyOffered={!isGiven} next={next} onSignedIn={onSignedIn} />
      </FieldsForm>
    </SessionFrame>
  );
}

function ForgotPassword({ form }: { readonly form: RefObject<HTMLFormElement | null> }) {
  if (!hasMail())
    return (
      <p className="text-center text-muted text-sm">
        {text.session.forgotLink} {text.session.forgotUnavailable}
      </p>
    );
  return (
    <Link
      className="py-1 text-center font-medium text-accent pointer-coarse:py-3"
      onClick={() => noteTypedAddress(readField(form.current, "email") ?? "")}
      to="/reset-password"
    >
      {text.session.forgotLink}
    </Link>
  );
}

function OtherWays({
  isPasskeyOffered,
  next,
  invitation,
  onSignedIn,
}: {
  readonly isPasskeyOffered: boolean;
  readonly next: string | undefined;
  readonly invitation: string | undefined;
  readonly onSignedIn: () => Promise<void>;
}) {
  return (
    <>
      <Suspense fallback={<ComingButton />}>
        <PasskeySignIn isOffered={isPasskeyOffered} onSignedIn={onSignedIn} />
      </Suspense>
      {hasProvider() && (
        <Suspense fallback={<ComingButton />}>
          <ProviderSignIn invitation={invitation} next={next} />
        </Suspense>
      )}
    </>
  );
}

/** Keeps the place of a button whose script is on its way. */
function ComingButton() {
  return <span aria-hidden="true" className="block h-10 pointer-coarse:h-11" />;
}
