import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type AnsweredLink, forgetAdmissionLink } from "../organization/admission-link.ts";
import { memberListTextQuery } from "../organization/member-queries.ts";
import { useMembership } from "../organization/membership.ts";
import { personalKeyQuery } from "../personal-key/personal-key-query.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { ownAdmissionsQuery } from "./own-admissions-query.ts";

const { join: texts } = text.admissions;

/** As often as the page of the one who brings in looks whether somebody has answered. */
const lookMilliseconds = 5_000;

type Progress = "waiting" | "refused" | "listed" | "gone";

/** Outcome of the answer, by the server's word: whether a form opens decides the browser that opens it. */
function useProgress({ admissionId, organizationId }: AnsweredLink): Progress {
  const isHere = useMembership()?.id === organizationId;
  const recipient = useQuery(personalKeyQuery).data?.halves.recipient;
  const own = useQuery({
    ...ownAdmissionsQuery,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.some(({ id }) => id === admissionId) ? lookMilliseconds : false,
  });
  // Asked once the link is used up, of the organization that the session acts for.
  const isOver = own.isFetchedAfterMount && own.data?.some(({ id }) => id === admissionId) === false;
  const list = useQuery({ ...memberListTextQuery, enabled: isOver && isHere, staleTime: 0 });
  const admission = own.data?.find(({ id }) => id === admissionId);
  if (admission !== undefined) return admission.answeredAt === null ? "refused" : "waiting";
  if (!isOver || (isHere && list.isPending)) return "waiting";
  return recipient !== undefined && list.data?.includes(recipient) === true ? "listed" : "gone";
}

/** After the answer: who is asked now, what comes next, and that it is done, without a reload. */
export function Answered({ answered }: { readonly answered: AnsweredLink }) {
  const progress = useProgress(answered);
  return (
    <div className="grid gap-4">
      <AnsweredNotice answered={answered} progress={progress} />
      <Link
        className={`${buttonClass("primary")} sm:justify-self-start`}
        onClick={() => progress === "listed" && forgetAdmissionLink()}
        to="/"
      >
        {texts.toStart}
      </Link>
    </div>
  );
}

/** The same for a page that is about something else. */
export function AnsweredBefore({ answered }: { readonly answered: AnsweredLink }) {
  return <AnsweredNotice answered={answered} progress={useProgress(answered)} />;
}

function AnsweredNotice({
  answered: { maker, others, organizationName },
  progress,
}: {
  readonly answered: AnsweredLink;
  readonly progress: Progress;
}) {
  switch (progress) {
    case "waiting":
      return (
        <Notice role="status" title={texts.doneTitle} tone="good">
          <ol className="grid list-decimal gap-1 pl-5">
            {texts.doneSteps(maker, others).map((step) => (
              <li className="wrap-anywhere" key={step}>
                <bdi>{step}</bdi>
              </li>
            ))}
          </ol>
        </Notice>
      );
    case "refused":
      return (
        <Notice role="status" title={texts.refusedTitle} tone="warning">
          {texts.refused(maker)}
        </Notice>
      );
    case "listed":
      return (
        <Notice role="status" title={texts.listedTitle(organizationName)} tone="good">
          {texts.listed(maker)}
        </Notice>
      );
    case "gone":
      return (
        <Notice role="status" title={texts.goneTitle}>
          {texts.gone(maker, organizationName)}
        </Notice>
      );
    default:
      return progress satisfies never;
  }
}
