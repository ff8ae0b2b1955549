import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionApi } from "../api/session-api.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page.tsx";
import { sessionQuery } from "./session.ts";
import { findVerificationToken } from "./verification-token.ts";

/** Where the mailed link leads, after a sign-in: verifies the address at once. */
export function VerifyEmailPage() {
  const token = findVerificationToken();
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
  const texts = text.session;
  return (
    <div className="mx-auto grid max-w-3xl gap-4">
      <PageHeader title={texts.verifyTitle} />
      {token === undefined && <Notice>{texts.verifyMissing}</Notice>}
      {verifying.isLoading && <p role="status">{texts.verifying}</p>}
      {verifying.isError && <ErrorNotice error={verifying.error} />}
      {verifying.isSuccess && (
        <Notice role="status" tone="good">
          {texts.verified}
        </Notice>
      )}
      <div>
        <Link className={buttonClass(verifying.isSuccess ? "primary" : undefined)} to="/">
          {text.common.forms}
        </Link>
      </div>
    </div>
  );
}
