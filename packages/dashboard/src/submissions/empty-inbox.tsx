import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { InboxIcon } from "../ui/icons.tsx";
import { Empty } from "../ui/page.tsx";

const pollMilliseconds = 5_000;

/** Nothing has come yet. Looks now and then, so that the first submission needs no reload. */
export function EmptyInbox({ formId }: { readonly formId: string }) {
  useQuery({ ...queries.form(formId), refetchInterval: pollMilliseconds });
  return (
    <div className="card">
      <Empty
        action={
          <Link className={buttonClass("primary")} params={{ formId }} to="/forms/$formId/embed">
            {text.submissions.emptyAction}
          </Link>
        }
        icon={<InboxIcon className="size-6" />}
        title={text.submissions.emptyTitle}
      >
        {text.submissions.emptyIntro}
      </Empty>
    </div>
  );
}
