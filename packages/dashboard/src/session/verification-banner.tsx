import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { sessionApi } from "../api/session-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { hasMail, sessionQuery, useSession } from "./session.ts";
import { useNeedsVerification, VerificationMail, VerifyFirst } from "./verify-first.tsx";

/** Above every page while the address has to be verified; once, where it only would be good to know. */
export function VerificationBanner() {
  const { user } = useSession();
  const { pathname } = useLocation();
  const isNeeded = useNeedsVerification();
  if (isNeeded) return <Needed isSaidByPage={pathname === "/forms/new"} />;
  return hasMail() && user.emailVerified !== true && user.verification === "trusted" ? <Asked /> : null;
}

/** The link may be opened in another tab or on another device: a person who comes back to this one can continue at once. */
function Needed({ isSaidByPage }: { readonly isSaidByPage: boolean }) {
  const queryClient = useQueryClient();
  useQuery({
    queryKey: ["verification"],
    queryFn: async () => {
      const session = await sessionApi.find();
      // The next request notices a session that has ended, and knows what to do.
      if (session !== null) queryClient.setQueryData(sessionQuery.queryKey, session);
      return null;
    },
    refetchOnWindowFocus: "always",
  });
  if (isSaidByPage) return null;
  return (
    <Banner>
      <VerifyFirst />
    </Banner>
  );
}

function Asked() {
  const { user } = useSession();
  const queryClient = useQueryClient();
  const skipping = useMutation({
    mutationFn: sessionApi.skipVerification,
    onSuccess: () => queryClient.invalidateQueries(sessionQuery),
  });
  const texts = text.session;
  return (
    <Banner>
      <VerificationMail
        otherAction={
          <Button look="quiet" onClick={() => skipping.mutate()} pending={skipping.isPending} small>
            {texts.verifyNotNow}
          </Button>
        }
        tone="info"
      >
        {texts.verifyOnce(user.email)}
      </VerificationMail>
    </Banner>
  );
}

function Banner({ children }: { readonly children: ReactNode }) {
  return (
    <section aria-label={text.pages.verifyEmail} className="mx-auto w-full max-w-6xl px-4 pt-4 pb-3 sm:px-6 sm:pb-0">
      {children}
    </section>
  );
}
