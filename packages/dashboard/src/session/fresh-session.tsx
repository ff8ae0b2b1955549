import { ApiError } from "@sealpost/sdk";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { Cancelled } from "../api/describe-error.ts";
import { sessionApi } from "../api/session-api.ts";
import { loading } from "../texts/load-page.ts";
import { text } from "../texts/text.ts";
import { PasswordDialog } from "./password-dialog.tsx";
import { hasProvider, useSession } from "./session.ts";

interface Question {
  /** Called with whether the session is as good as a new sign-in now. */
  readonly answer: (isFresh: boolean) => void;
  /** The password is not enough. */
  readonly wantsPasskey: boolean;
}
/** There while somebody is being asked. */
let asked: Question | undefined;
const listeners = new Set<() => void>();

function ask(next: Question | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Requests that run at once wait for one answer. */
let answering: Promise<boolean> | undefined;

function askOnce(wantsPasskey: boolean): Promise<boolean> {
  answering ??= new Promise<boolean>((answer) => ask({ answer, wantsPasskey })).finally(() => {
    answering = undefined;
  });
  return answering;
}

/**
 * Does what only a fresh sign-in may. Where the last one is too long ago, asks for the password and then does it after all;
 * who cancels is back where they were: `Cancelled` is nothing that failed, and no page shows it.
 */
export async function withFreshSession<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof ApiError ? error.reason : undefined;
    const wantsPasskey = reason === "passkey_needed";
    if (reason !== "session_stale" && !wantsPasskey) throw error;
    if (!(await askOnce(wantsPasskey))) throw new Cancelled();
    return work();
  }
}

/** The dialog that `withFreshSession` asks with; it stands once in the frame, above what waits for it. */
export function FreshSessionDialog() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
  return question === undefined ? null : <Asking {...question} />;
}

const ProviderConfirm = lazy(loading(() => import("./provider-confirm.tsx")));
const PasskeyConfirm = lazy(loading(() => import("./passkey-confirm.tsx")));
const PasskeyDialog = lazy(loading(() => import("./passkey-dialog.tsx")));

function Asking({ answer, wantsPasskey }: Question) {
  const { user } = useSession();
  const end = (isFresh: boolean) => {
    ask(undefined);
    answer(isFresh);
  };
  if (wantsPasskey)
    return (
      <Suspense>
        <PasskeyDialog onClose={() => end(false)} onConfirmed={() => end(true)} />
      </Suspense>
    );
  return (
    <PasswordDialog
      action={text.common.next}
      intro={text.session.freshIntro}
      onClose={() => end(false)}
      send={async (confirmation) => {
        await sessionApi.freshen(confirmation);
        end(true);
      }}
      title={text.session.freshTitle}
      wantsCode={user.twoFactorEnabled === true}
    >
      <Suspense>
        <PasskeyConfirm onConfirmed={() => end(true)} />
      </Suspense>
      {hasProvider() && (
        <Suspense>
          <ProviderConfirm />
        </Suspense>
      )}
    </PasswordDialog>
  );
}
