import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { findAdmissionLink, findAnswered } from "../organization/admission-link.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { AnsweredBefore } from "./answered.tsx";
import { ownAdmissionsQuery } from "./own-admissions-query.ts";

const { admissions } = text;

const texts = admissions.join;

/**
 * What is left to do until the person is brought in: while this tab keeps their link, after they have answered it, and where another browser has the
 * link, of which the server knows.
 */
export default function UnfinishedJoin() {
  const { user } = useSession();
  const answered = findAnswered(user.id);
  const hasLink = findAdmissionLink() !== undefined;
  const own = useQuery({ ...ownAdmissionsQuery, enabled: !hasLink && answered === undefined }).data;
  const open = own?.find(({ answeredAt }) => answeredAt === null);
  if (answered !== undefined) return <AnsweredBefore answered={answered} />;
  if (!hasLink && open === undefined) return null;
  return (
    <Notice
      action={
        <Link className={buttonClass()} to="/join">
          {texts.unfinishedLink}
        </Link>
      }
      title={texts.unfinishedTitle}
      tone="warning"
    >
      {texts.unfinished} {!hasLink && open !== undefined && texts.unfinishedElsewhere(open.organization.name)}
    </Notice>
  );
}
