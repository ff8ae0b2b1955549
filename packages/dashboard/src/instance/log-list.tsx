import type { InstanceLogEntry } from "@sealpost/sdk";
import { useInfiniteQuery } from "@tanstack/react-query";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { ListLoading, MoreButton } from "../ui/long-list.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { instanceLog } from "./instance-queries.ts";

const { auditLog, instance: texts } = text;

/** The changes by operators, the newest first. */
export function LogList() {
  const list = useInfiniteQuery(instanceLog);
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Section intro={texts.logIntro} title={texts.views.log}>
      {list.isPending && <ListLoading />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && entries.length === 0 && <p>{texts.emptyLog}</p>}
      <ol aria-label={texts.views.log} className="divide-y divide-line">
        {entries.map(({ id, action, timestamp, operator, subject, plan }) => (
          <li className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 py-2.5" key={id}>
            <div className="min-w-0">
              <p className="wrap-anywhere">
                <span className="font-medium">{titles[action] ?? action}</span>
                {plan !== undefined && ` (${plan})`}
                {subject !== null && (
                  <>
                    {": "}
                    <bdi className="break-all">{nameOf(subject)}</bdi>
                  </>
                )}
              </p>
              <p className="text-muted text-sm">
                {operator === null ? describeOther(action) : <bdi>{texts.by(nameOf(operator))}</bdi>}
              </p>
            </div>
            <p className="text-muted text-sm">
              <time dateTime={new Date(timestamp).toISOString()}>{formatDateTime(timestamp)}</time>
            </p>
          </li>
        ))}
      </ol>
      <MoreButton list={list}>{texts.more}</MoreButton>
    </Section>
  );
}

/** A newer service may know more. */
const titles: Readonly<Record<string, string>> = auditLog.actions;

/** No operator on the page did it. */
const describeOther = (action: string): string =>
  action === "account.invitation_accepted" ? texts.byInvited : texts.onServer;

function nameOf({ name, email }: NonNullable<InstanceLogEntry["subject"]>): string {
  return email ?? (name === "" ? texts.gone : name);
}
