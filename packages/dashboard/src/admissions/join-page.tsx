import { RefusalError } from "@sealpost/envelope";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { EnvelopeRefused } from "../envelopes/refusal-notice.tsx";
import { MakeKey } from "../personal-key/make-key.tsx";
import { UnlockPersonalKey } from "../personal-key/unlock-personal-key.tsx";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { useSession } from "../session/session.ts";
import { admissions } from "../texts/english/admissions.ts";
import { members } from "../texts/english/members.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { focusContent } from "../ui/focus-content.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader, Section, Skeleton } from "../ui/page.tsx";
import { findAdmissionLink, forgetAdmissionLink } from "./admission-link.ts";
import { type SeenAdmission, seeAdmission, sendAnswer } from "./join.ts";

const texts = admissions.join;

/** Where a link leads that brings somebody in: what it is for, once that was checked, and one's own answer. */
export function JoinPage() {
  const [fragment] = useState(findAdmissionLink);
  const { user } = useSession();
  const seen = useQuery({
    queryKey: ["join", user.id],
    queryFn: () => seeAdmission(fragment ?? ""),
    enabled: fragment !== undefined,
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  // The whole link, pasted where a cut one was, loads no page by itself.
  useEffect(() => {
    const startAgain = () => window.location.reload();
    window.addEventListener("hashchange", startAgain);
    return () => window.removeEventListener("hashchange", startAgain);
  }, []);
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={texts.title} />
      {fragment === undefined && <Notice title={texts.none}>{texts.noneHint}</Notice>}
      {fragment !== undefined && seen.isPending && <p role="status">{texts.loading}</p>}
      {seen.error instanceof RefusalError && <EnvelopeRefused reason={seen.error.reason} />}
      {seen.isError && !(seen.error instanceof RefusalError) && (
        <ErrorNotice error={seen.error} onRetry={() => seen.refetch()} />
      )}
      {seen.data !== undefined && <Join seen={seen.data} />}
    </div>
  );
}

function Join({ seen }: { readonly seen: SeenAdmission }) {
  const { user } = useSession();
  const key = usePersonalKey();
  const [isMaking, setIsMaking] = useState(false);
  const answering = useMutation({
    mutationFn: async () => {
      if (key.kind === "open") await sendAnswer(seen, user.id, key.halves);
    },
    onSuccess: () => {
      forgetAdmissionLink();
      focusContent();
    },
  });
  const { terms, maker, organizationName } = seen;
  const endMaking = () => {
    setIsMaking(false);
    focusContent();
  };
  if (isMaking) return <MakeKey onCancel={endMaking} onDone={endMaking} />;
  if (answering.isSuccess)
    return (
      <div className="grid gap-4">
        <Notice role="status" title={texts.doneTitle} tone="good">
          {texts.done(maker.name)}
        </Notice>
        <Link className={buttonClass("primary")} to="/">
          {texts.toStart}
        </Link>
      </div>
    );
  return (
    <Section
      intro={texts.intro(organizationName, members.roles[terms.role as keyof typeof members.roles])}
      title={terms.name}
    >
      <div className="grid gap-4">
        <p>{texts.by(maker.name, members.roles[maker.role as keyof typeof members.roles])}</p>
        {seen.isAnswered && <Notice>{texts.again}</Notice>}
        {key.kind === "unknown" && <Skeleton className="h-24 w-full" />}
        {key.kind === "none" && (
          <>
            <p>{texts.needKey}</p>
            <Button look="primary" onClick={() => setIsMaking(true)}>
              {texts.makeKey}
            </Button>
          </>
        )}
        {key.kind === "locked" && (
          <>
            <p>{texts.unlock}</p>
            <UnlockPersonalKey />
          </>
        )}
        {answering.isError && <ErrorNotice error={answering.error} />}
        {key.kind === "open" && (
          <Button look="primary" onClick={() => answering.mutate()} pending={answering.isPending}>
            {texts.answer}
          </Button>
        )}
        <Link className={buttonClass()} onClick={forgetAdmissionLink} to="/">
          {texts.notNow}
        </Link>
      </div>
    </Section>
  );
}
