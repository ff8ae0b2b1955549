import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sessionApi } from "../api/session-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { sessionQuery, useSession } from "./session.ts";

/** Whether the server refuses what a stranger could do in the owner's name, until the address is verified. */
export function useNeedsVerification(): boolean {
  return useSession().user.verification === "needed";
}

/** Actions that need a verified address, and another email to verify it. */
export function VerifyFirst() {
  const { user } = useSession();
  return <VerificationMail tone="warning">{text.session.verifyNeeded(user.email)}</VerificationMail>;
}

/** Instead of a dialog whose end the server would refuse. */
export function VerifyFirstDialog({ title, onClose }: { readonly title: string; readonly onClose: () => void }) {
  return (
    <Dialog footer={<Button onClick={onClose}>{text.common.close}</Button>} onClose={onClose} title={title}>
      <VerifyFirst />
    </Dialog>
  );
}

/** Says why the address should be verified, and has a link for it mailed. */
export function VerificationMail({
  tone,
  otherAction,
  children,
}: {
  readonly tone: "info" | "warning";
  readonly otherAction?: ReactNode;
  readonly children: ReactNode;
}) {
  const queryClient = useQueryClient();
  const sending = useMutation({
    // It may have been verified elsewhere since: then no email comes, and this is over.
    mutationFn: async () => {
      const session = await sessionApi.find();
      if (session?.user.emailVerified !== true) return sessionApi.sendVerification();
      queryClient.setQueryData(sessionQuery.queryKey, session);
    },
  });
  const sent = useFocusInstead<HTMLDivElement>(sending.isSuccess);
  const texts = text.session;
  return (
    <div className="grid gap-3">
      <div className="outline-none empty:absolute" ref={sent} role="status" tabIndex={-1}>
        {sending.isSuccess && <Notice tone="good">{texts.verifySent}</Notice>}
      </div>
      {sending.isError && <ErrorNotice error={sending.error} />}
      {!sending.isSuccess && (
        <Notice
          action={
            <span className="flex flex-wrap gap-2">
              <Button onClick={() => sending.mutate()} pending={sending.isPending} small>
                {texts.verifySend}
              </Button>
              {otherAction}
            </span>
          }
          tone={tone}
        >
          {children}
        </Notice>
      )}
    </div>
  );
}
