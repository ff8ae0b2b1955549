import { formatAdmissionLink } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { MakeKey } from "../key-copies/make-key.tsx";
import { UnlockPersonalKey } from "../key-copies/unlock-personal-key.tsx";
import {
  type AnsweredLink,
  endAdmissionLink,
  findAdmissionLink,
  findAnswered,
  forgetAdmissionLink,
  holdLinks,
  keepAdmissionLink,
} from "../organization/admission-link.ts";
import { findInvitationToken } from "../organization/invitation-token.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { leavePage } from "../session/end-page.ts";
import { useSession } from "../session/session.ts";
import { useNeedsVerification } from "../session/verify-first.tsx";
import { useSignOut } from "../sign-in/use-sign-out.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { focusContent } from "../ui/focus-content.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader, Section, Skeleton } from "../ui/page.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { Answered } from "./answered.tsx";
import { EnterInvitation, type Invited } from "./enter-invitation.tsx";
import { type SeenAdmission, seeAdmission, seeByWords, sendAnswer } from "./join.ts";
import { Failed } from "./with-key.tsx";

const { joinRefusals, admissions, nameRole } = text;

const texts = admissions.join;

/** Where a link leads that brings somebody in, or where the words are typed that stand for one: what it is for, once that was checked, and one's own answer. */
export function JoinPage() {
  const [invited, setInvited] = useState<Invited | undefined>(() => {
    const fragment = findAdmissionLink();
    return fragment === undefined ? undefined : { fragment };
  });
  const { user } = useSession();
  const [answered] = useState(() => findAnswered(user.id));
  const [attempt, setAttempt] = useState(0);
  const seen = useQuery({
    queryKey: ["join", user.id, invited, attempt],
    queryFn: async () => (invited && (await see(invited, user.id))) ?? null,
    enabled: invited !== undefined,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  useReloadByLink();
  const isLooking = invited !== undefined && seen.isPending;
  const place = useFocusInstead<HTMLDivElement>(!isLooking && invited);
  const isForeign = seen.error instanceof ApiError && seen.error.status === 404;
  // The account comes first: the link is also an invitation, which was not accepted yet.
  if (isForeign && findInvitationToken() !== undefined) return <Navigate replace to="/invitation" />;
  const take = (next: Invited) => {
    if ("fragment" in next) keepAdmissionLink(next.fragment);
    setAttempt(attempt + 1);
    setInvited("fragment" in next ? { fragment: findAdmissionLink() ?? "" } : next);
  };
  if (invited === undefined && answered !== undefined)
    return (
      <div className="mx-auto max-w-3xl">
        <PageHeader title={text.pages.join} />
        <Answered answered={answered} />
      </div>
    );
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={text.pages.join} />
      <div className="grid gap-5 outline-none" ref={place} tabIndex={-1}>
        {isLooking && <p role="status">{texts.loading}</p>}
        {isForeign ? <ForeignLink /> : seen.isError && <Failed error={seen.error} refusals={joinRefusals} />}
        {seen.data === null && (
          <Notice role="alert" title={texts.nothing} tone="warning">
            {texts.nothingHint(user.email)}
          </Notice>
        )}
        {seen.data ? (
          <Join seen={seen.data} />
        ) : (
          // Typed words stay, so that one wrong word is put right alone.
          !(isLooking && "fragment" in invited) && <EnterInvitation isPending={isLooking} onInvited={take} />
        )}
      </div>
    </div>
  );
}

/** The whole link, pasted where a cut one was, loads no page by itself. */
function useReloadByLink(): void {
  useEffect(() => {
    const startAgain = () => window.location.reload();
    window.addEventListener("hashchange", startAgain);
    return () => window.removeEventListener("hashchange", startAgain);
  }, []);
}

async function see(invited: Invited, personId: string): Promise<SeenAdmission | undefined> {
  if ("fragment" in invited) return seeAdmission(invited.fragment, personId);
  const seen = await seeByWords(invited.words, personId);
  // The tab keeps what the words stand for, as if its person had come by the link: nobody types them twice.
  if (seen !== undefined) keepAdmissionLink(formatAdmissionLink(seen.link));
  return seen;
}

/** A link that is not for this account, has ended, or whose invitation was not accepted yet: the service does not say which. */
function ForeignLink() {
  const { user } = useSession();
  const [putLinksBack] = useState(holdLinks);
  const signOut = useSignOut(() => {
    putLinksBack();
    return leavePage();
  });
  return (
    <>
      <Notice role="alert" title={texts.foreign} tone="warning">
        <ul className="grid list-disc gap-1 pl-5">
          {texts.foreignReasons(user.email).map((reason) => (
            <li className="wrap-anywhere" key={reason}>
              {reason}
            </li>
          ))}
        </ul>
      </Notice>
      {signOut.isError && <ErrorNotice error={signOut.error} />}
      <div>
        <Button onClick={() => signOut.mutate()} pending={signOut.isPending}>
          {texts.signOut}
        </Button>
      </div>
    </>
  );
}

function Join({ seen }: { readonly seen: SeenAdmission }) {
  const { user } = useSession();
  const key = usePersonalKey();
  const needsVerification = useNeedsVerification();
  const [isMaking, setIsMaking] = useState(false);
  const answering = useMutation({
    mutationFn: async () => {
      if (key.kind === "open") await sendAnswer(seen, user.id, key.halves);
    },
    onSuccess: () => {
      endAdmissionLink(user.id, toAnswered(seen));
      focusContent();
    },
  });
  const { terms, maker, organizationName } = seen;
  const endMaking = () => {
    setIsMaking(false);
    focusContent();
  };
  if (isMaking) return <MakeKey next={texts.keyMade} onCancel={endMaking} onDone={endMaking} />;
  if (answering.isSuccess) return <Answered answered={toAnswered(seen)} />;
  return (
    <Section intro={texts.intro(organizationName, nameRole(terms.role))} title={terms.name}>
      <div className="in-order grid gap-4">
        <p>{texts.by(shownName(maker), nameRole(maker.role))}</p>
        {seen.isAnswered && <Notice>{texts.again}</Notice>}
        {key.kind === "unknown" && <Skeleton className="h-24 w-full" />}
        {/* How is said above the page, as everywhere. */}
        {needsVerification && <p>{texts.verify}</p>}
        {key.kind === "none" && !needsVerification && (
          <>
            <p>{texts.needKey}</p>
            <Button className="sm:justify-self-start" look="primary" onClick={() => setIsMaking(true)}>
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
        {answering.isError && <Failed error={answering.error} refusals={joinRefusals} />}
        {key.kind === "open" && !needsVerification && (
          <Button
            className="sm:justify-self-start"
            look="primary"
            onClick={() => answering.mutate()}
            pending={answering.isPending}
          >
            {texts.answer}
          </Button>
        )}
        <Link className={`${buttonClass()} sm:justify-self-start`} onClick={forgetAdmissionLink} to="/">
          {texts.notNow}
        </Link>
      </div>
    </Section>
  );
}

function toAnswered({ link, organizationId, organizationName, maker, otherAdmitters }: SeenAdmission): AnsweredLink {
  const { admissionId } = link;
  return {
    admissionId,
    organizationId,
    organizationName,
    maker: shownName(maker),
    others: otherAdmitters.map(shownName),
  };
}
