import { ApiError } from "@sealpost/sdk";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sessionApi } from "../api/session-api.ts";
import { pages } from "../pages.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { SessionFrame } from "./session-frame.tsx";
import { isUsedLink } from "./used-link.ts";

const { accountLife } = text;

const texts = accountLife.address;

const storageKey = "sealpost-address";

/**
 * Taken out of the address at once, so that it stays in no history, and kept for this tab alone: the way to confirming leads
 * through a sign-in or a reload.
 */
function takeToken(): string | undefined {
  const token = /^#([\w-]{1,100})$/.exec(window.location.hash)?.[1];
  if (token !== undefined) sessionStorage.setItem(storageKey, token);
  window.history.replaceState(window.history.state, "", window.location.pathname);
  return sessionStorage.getItem(storageKey) ?? undefined;
}

/** Where the links in emails about a move lead. The first letter of a token says whose it is: old, new, undo. */
export function AddressPage() {
  const [token, setToken] = useState(takeToken);
  // Pasting a link into a tab that is already here changes only the part after the #.
  useEffect(() => {
    const take = () => setToken((before) => takeToken() ?? before);
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  if (token === undefined)
    return (
      <SessionFrame intro="" title={text.pages.address}>
        <div className="grid gap-4">
          <Notice>{texts.missing}</Notice>
          <Link className={buttonClass()} to="/sign-in">
            {texts.signIn}
          </Link>
        </div>
      </SessionFrame>
    );
  return <Decide key={token} token={token} />;
}

function Decide({ token }: { readonly token: string }) {
  const queryClient = useQueryClient();
  const isUndo = token.startsWith("u");
  const deciding = useMutation({
    mutationFn: (isWanted: boolean): Promise<{ readonly status: "moved" | "waiting" | "refused" | "undone" }> =>
      isWanted ? sessionApi.confirmAddress(token) : sessionApi.refuseAddress(token),
    // Not being signed in is said here, with the way there and back.
    meta: { isSignIn: true },
    onSuccess: () => {
      sessionStorage.removeItem(storageKey);
      return queryClient.invalidateQueries();
    },
  });
  const isUsed = isUsedLink(deciding.error);
  const said = useFocusInstead<HTMLDivElement>(deciding.isSuccess || isUsed);
  const isSignedOut = deciding.error instanceof ApiError && deciding.error.status === 401;
  return (
    <SessionFrame intro={isUndo ? texts.undoIntro : texts.confirmIntro} title={text.pages.address}>
      <div className="grid gap-4">
        <div className="outline-none empty:absolute" ref={said} role="status" tabIndex={-1}>
          {deciding.isSuccess && <Notice tone="good">{texts[deciding.data.status]}</Notice>}
          {isSignedOut && <Notice tone="warning">{texts.signInFirst}</Notice>}
        </div>
        {isSignedOut && (
          <Link className={buttonClass("primary")} search={{ next: pages.address.path }} to="/sign-in">
            {texts.signIn}
          </Link>
        )}
        {deciding.isError && !isSignedOut && (
          <ErrorNotice
            error={deciding.error}
            what={isUsed ? (isUndo ? texts.mayBeUndone : texts.mayHaveWorked) : undefined}
          />
        )}
        {isUsed && (
          <Link className={buttonClass("primary")} to={isUndo ? "/reset-password" : "/account"}>
            {isUndo ? texts.setPassword : texts.toAccount}
          </Link>
        )}
        {isUsed && isUndo && (
          <Link className={buttonClass()} to="/sign-in">
            {texts.signIn}
          </Link>
        )}
        {deciding.isSuccess ? (
          <Link className={buttonClass("primary")} to={deciding.data.status === "undone" ? "/reset-password" : "/"}>
            {deciding.data.status === "undone" ? texts.setPassword : texts.toForms}
          </Link>
        ) : (
          !isUsed && (
            <>
              {!isUndo && !isSignedOut && (
                <Button look="primary" onClick={() => deciding.mutate(true)} pending={deciding.isPending}>
                  {texts.confirm}
                </Button>
              )}
              {!token.startsWith("n") && (
                <Button look="danger" onClick={() => deciding.mutate(false)} pending={deciding.isPending}>
                  {isUndo ? texts.undo : texts.refuse}
                </Button>
              )}
            </>
          )
        )}
      </div>
    </SessionFrame>
  );
}
