import { ApiError } from "@sealpost/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLoaderData, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { sessionApi } from "../api/session-api.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { pages } from "../pages.ts";
import {
  closeSetup,
  findSetupToken,
  findSignUpState,
  hasProvider,
  isOpenAfterSetup,
  sessionQuery,
} from "../session/session.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { SessionFrame } from "./session-frame.tsx";
import { isUsedLink } from "./used-link.ts";

const ProviderSignIn = lazy(loading(() => import("../session/identity-provider.tsx")));

/** The set-up page of a fresh instance, and sign-up where it is open to all. */
export function SignUpPage() {
  const state = findSignUpState();
  /** The address of the person who was signed in when the page was opened. */
  const email = useLoaderData({ strict: false });
  if (email !== undefined) return <SignedInAlready email={email} isClosed={state === "closed"} />;
  if (state === "closed")
    return (
      <SessionFrame intro={text.session.closedHint} title={text.session.closed}>
        <Link className={`${buttonClass("primary")} w-full`} to="/sign-in">
          {text.session.signInLink}
        </Link>
      </SessionFrame>
    );
  if (state === "first" && findSetupToken() === undefined) return <SetupAddressNeeded />;
  return <SignUpForm isFirst={state === "first"} />;
}

/** Without the token of the set-up address the server refuses, so there is nothing to fill in yet. */
function SetupAddressNeeded() {
  const texts = text.session;
  return (
    <SessionFrame intro={texts.setupMissing} title={text.pages.setup}>
      <SetupWhere />
    </SessionFrame>
  );
}

function SetupWhere() {
  return (
    <div className="grid gap-3 text-muted text-sm">
      <p>{text.session.setupWhere}</p>
      {["docker compose logs sealpost", "journalctl -u sealpost"].map((command) => (
        <code translate="no" className="rounded-md bg-sunken px-3 py-2 text-ink" key={command}>
          {command}
        </code>
      ))}
    </div>
  );
}

/** Who keeps the set-up address as a bookmark wants the forms, not to hear that sign-up is closed. */
function SignedInAlready({ email, isClosed }: { readonly email: string; readonly isClosed: boolean }) {
  const texts = text.session;
  return (
    <SessionFrame intro={texts.alreadySignedInAs(email)} title={texts.alreadySignedIn}>
      <div className="grid gap-4">
        {!isClosed && <p className="text-muted text-sm">{texts.toMakeAnother}</p>}
        <Link className={buttonClass("primary")} to="/">
          {text.common.toForms}
        </Link>
      </div>
    </SessionFrame>
  );
}

/** Who was invited: the address is given. */
interface Invited {
  readonly token: string;
  readonly email: string;
  readonly emailHint: string;
  readonly title: string;
  readonly intro: string;
  readonly action: string;
}

interface SignUpProps {
  readonly isFirst: boolean;
  readonly invited?: Invited;
  readonly onSignedUp?: () => void;
  /** Where it leads then. */
  readonly findNext?: () => Promise<"/" | "/join">;
}

export function SignUpForm({
  children,
  ...props
}: SignUpProps & {
  /** Below the button. */
  readonly children?: ReactNode;
}) {
  const { isFirst, invited } = props;
  const { fields, mayBeCreated, isTokenWrong } = useSignUp(props);
  return (
    <SessionFrame
      intro={invited?.intro ?? introOf(isFirst)}
      title={invited?.title ?? (isFirst ? text.pages.setup : text.pages.signUp)}
    >
      <FieldsForm fields={fields} notice={<Refused error={fields.error} isTokenWrong={isTokenWrong} />}>
        <TextField
          {...fields.text("name")}
          autoComplete="name"
          autoFocus
          label={text.session.name}
          maxLength={100}
          required
        />
        <TextField
          {...fields.text("email")}
          autoComplete="username"
          hint={invited?.emailHint}
          label={text.session.email}
          readOnly={invited !== undefined}
          required
          type="email"
        />
        <PasswordField
          {...fields.secret("password")}
          autoComplete="new-password"
          hint={text.session.passwordHint}
          label={text.session.password}
          maxLength={128}
          minLength={10}
          required
        />
        <Button className="mt-2" look="primary" pending={fields.isPending} type="submit">
          {invited?.action ?? text.session.create}
        </Button>
        {children}
        {mayBeCreated && <p role="status">{text.session.mayBeCreated}</p>}
        {((!isFirst && invited === undefined) || fields.error !== null) && (
          <Link className="py-1 text-center font-medium text-accent pointer-coarse:py-3" to="/sign-in">
            {text.session.signInLink}
          </Link>
        )}
        {!isFirst && hasProvider() && (
          <Suspense>
            <ProviderSignIn invitation={invited?.token} next={invited && pages.invitation.path} />
          </Suspense>
        )}
      </FieldsForm>
    </SessionFrame>
  );
}

/** Makes the account, and goes where it leads. */
function useSignUp({ isFirst, invited, onSignedUp, findNext = async () => "/" as const }: SignUpProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const setupToken = findSetupToken();
  const fields = useFields({
    initial: { name: "", email: invited?.email ?? "", password: "" },
    passing: "way_in",
    isSignIn: true,
    send: async (account) => {
      const { refuseKeyWords } = await import("../personal-key/refuse-key-words.ts");
      await refuseKeyWords(account.password, "password");
      return sessionApi.signUp({
        ...account,
        ...(invited !== undefined && { invitation: invited.token }),
        ...(isFirst && setupToken !== undefined && { setupToken }),
      });
    },
    onSaved: async () => {
      closeSetup();
      onSignedUp?.();
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await navigate({ to: await findNext(), replace: true });
    },
  });
  const { error } = fields;
  const reason = error instanceof ApiError ? error.reason : undefined;
  return {
    fields,
    // By the press before, whose answer was lost.
    mayBeCreated: isUsedLink(error) || reason === "account_exists",
    isTokenWrong: isFirst && reason === "setup_token_needed",
  };
}

function Refused({ error, isTokenWrong }: { readonly error: Error | null; readonly isTokenWrong: boolean }) {
  return isTokenWrong ? <WrongToken /> : error && <ErrorNotice error={error} isRepeatable />;
}

function WrongToken() {
  return (
    <Notice role="alert" title={text.session.setupWrong} tone="danger">
      <SetupWhere />
    </Notice>
  );
}

function introOf(isFirst: boolean): string {
  if (!isFirst) return text.session.signUpIntro;
  return isOpenAfterSetup() ? text.session.setupIntroOpen : text.session.setupIntro;
}
