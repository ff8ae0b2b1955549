import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDateTime, formatRelative } from "../texts/format.ts";
import { findText, text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ListLoading, MoreButton } from "../ui/long-list.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { failedEmails } from "./instance-queries.ts";

const { instance: texts } = text;

/** Emails that did not arrive, each with a way to try it again. */
export function EmailList() {
  const queryClient = useQueryClient();
  const list = useInfiniteQuery(failedEmails);
  const trying = useMutation({
    mutationFn: (id: string) => withFreshSession(() => client.instance.retryMail(id)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["instance"] }),
  });
  const emails = list.data?.pages.flatMap((page) => page.emails) ?? [];
  return (
    <Section intro={texts.emailsIntro} title={texts.views.emails}>
      <div className="empty:hidden" role="status">
        {trying.isSuccess && <Notice tone="good">{texts.tried}</Notice>}
      </div>
      {trying.isError && <ErrorNotice error={trying.error} />}
      {list.isPending && <ListLoading />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && emails.length === 0 && <p>{texts.noEmails}</p>}
      <ul aria-label={texts.views.emails} className="divide-y divide-line">
        {emails.map(({ id, kind, to, failedAt, failure, attempts, nextAt, canTryAgain }) => (
          <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3" key={id}>
            <div className="grid min-w-0 grow basis-64 gap-0.5">
              <p className="min-w-0 break-all font-medium">{to.join(", ")}</p>
              <p className="min-w-0 wrap-anywhere">{failure}</p>
              <p className="text-muted text-sm">
                {findText(texts.kinds, kind) ?? kind} · {formatDateTime(failedAt)} · {texts.tries(attempts)}
                {nextAt === null ? texts.givenUp : texts.nextTry(formatRelative(nextAt))}
              </p>
            </div>
            {canTryAgain ? (
              <Button
                aria-label={texts.tryAgainOf(to.join(", "))}
                onClick={() => trying.mutate(id)}
                pending={trying.isPending && trying.variables === id}
                small
              >
                {texts.tryAgain}
              </Button>
            ) : (
              <p className="text-muted text-sm">{texts.linkTooOld}</p>
            )}
          </li>
        ))}
      </ul>
      <MoreButton list={list}>{texts.more}</MoreButton>
    </Section>
  );
}
