import { ApiError } from "@sealpost/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionApi } from "../api/session-api.ts";
import { sessionQuery, useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page.tsx";
import { findVerificationToken } from "./verification-token.ts";

/** Where the mailed link leads, after a sign-in: verifies the address at once. */
export function VerifyEmailPage() {
  const token = findVerificationToken();
  const { user } = useSession();
  const queryClient = useQueryClient();
  const verifying = useQuery({
    queryKey: ["verify-email", token],
    queryFn: async () => {
      await sessionApi.verifyEmail(token ?? "");
      await queryClient.invalidateQueries(sessionQuery);
      return true;
    },
    enabled: token !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  // Who comes back to this page, or opens the link once more, wants to know whether it worked.
  const isRefused = verifying.error instanceof ApiError && verifying.error.status === 400;
  const wasVerified = user.emailVerified === true && (token === undefined || isRefused);
  const isVerified = verifying.isSuccess || wasVerified;
  const texts = text.session;
  return (
    <div className="mx-auto grid max-w-3xl gap-4">
      <PageHeader title={text.pages.verifyEmail} />
      {token === undefined && !isVerified && <Notice>{texts.verifyMissing}</Notice>}
      {verifying.isLoading && <p role="status">{texts.verifying}</p>}
      {verifying.isError && !wasVerified && <ErrorNotice error={verifying.error} />}
      {isVerified && (
        <Notice role="status" tone="good">
          {texts.verified}
        </Notice>
      )}
      {wasVerified && isRefused && <p className="text-muted">{texts.verifiedBefore(user.email)}</p>}
      <div>
        <Link className={buttonClass(isVerified ? "primary" : undefined)} to="/">
          {text.pages.forms}
        </Link>
      </div>
    </div>
  );
}
