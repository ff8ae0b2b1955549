import { ApiError } from "@sealpost/sdk";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { PasswordDialog } from "../account/password-dialog.tsx";
import { Cancelled } from "../api/describe-error.ts";
import { sessionApi } from "../api/session-api.ts";
import { loading } from "../shell/load-page.ts";
import { text } from "../texts/text.ts";
import { hasProvider, useSession } from "./session.ts";

/** Called with whether the session is as good as a new sign-in now; there while somebody is being asked. */
type Answer = (isFresh: boolean) => void;
let asked: Answer | undefined;
const listeners = new Set<() => void>();

function ask(next: Answer | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

/**
 * Does what only a fresh sign-in may. Where the last one is too long ago, asks for the password and then does it after all;
 * who cancels is back where they were: `Cancelled` is nothing that failed, and no page shows it.
 */
export async function withFreshSession<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === "session_stale")) throw error;
    const isFresh = await new Promise<boolean>((resolve) => ask(resolve));
    if (!isFresh) throw new Cancelled();
    return work();
  }
}

/** The dialog that `withFreshSession` asks with; it stands once in the frame, above what waits for it. */
export function FreshSessionDialog() {
  const answer = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
  return answer === undefined ? null : <Asking answer={answer} />;
}

const ProviderConfirm = lazy(loading(() => import("./provider-confirm.tsx")));

function Asking({ answer }: { readonly answer: Answer }) {
  const { user } = useSession();
  const end = (isFresh: boolean) => {
    ask(undefined);
    answer(isFresh);
  };
  const freshening = useMutation({
    mutationFn: sessionApi.freshen,
    meta: { isSignIn: true }, // a wrong password is no ended session
    onSuccess: () => end(true),
  });
  return (
    <PasswordDialog
      action={text.common.next}
      asking={freshening}
      intro={text.session.freshIntro}
      onClose={() => end(false)}
      title={text.session.freshTitle}
      wantsCode={user.twoFactorEnabled === true}
    >
      {hasProvider() && (
        <Suspense>
          <ProviderConfirm />
        </Suspense>
      )}
    </PasswordDialog>
  );
}
