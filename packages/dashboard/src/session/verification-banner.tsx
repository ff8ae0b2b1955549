import { useMutation, useQueryClient } from "@tanstack/react-query";
import { sessionApi } from "../api/session-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { hasMail, sessionQuery, useSession } from "./session.ts";

/** Above every page while the address has to be verified; once, where it only would be good to know. */
export function VerificationBanner() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const sending = useMutation({ mutationFn: sessionApi.sendVerification });
  const skipping = useMutation({
    mutationFn: sessionApi.skipVerification,
    onSuccess: () => queryClient.invalidateQueries(sessionQuery),
  });
  const isNeeded = user.verification === "needed";
  const isAsked = hasMail() && user.emailVerified !== true && user.verification === "trusted";
  const texts = text.session;
  if (!isNeeded && !isAsked) return null;
  return (
    <section aria-label={texts.verifyTitle} className="mx-auto grid w-full max-w-6xl gap-3 px-4 pt-4 sm:px-6">
      <div className="empty:absolute" role="status">
        {sending.isSuccess && <Notice tone="good">{texts.verifySent}</Notice>}
      </div>
      {sending.isError && <ErrorNotice error={sending.error} />}
      {!sending.isSuccess && (
        <Notice
          action={
            <span className="flex flex-wrap gap-2">
              <Button onClick={() => sending.mutate()} pending={sending.isPending} small>
                {isNeeded ? texts.verifySendAgain : texts.verifySend}
              </Button>
              {!isNeeded && (
                <Button look="quiet" onClick={() => skipping.mutate()} pending={skipping.isPending} small>
                  {texts.verifyNotNow}
                </Button>
              )}
            </span>
          }
          tone={isNeeded ? "warning" : "info"}
        >
          {isNeeded ? texts.verifyNeeded(user.email) : texts.verifyOnce(user.email)}
        </Notice>
      )}
    </section>
  );
}
