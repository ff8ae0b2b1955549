import { ApiError } from "@sealpost/sdk";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import PasskeyConfirm from "../session/passkey-confirm.tsx";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { LockIcon } from "../ui/icons.tsx";
import { ListLoading } from "../ui/long-list.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Empty, PageHeader } from "../ui/page.tsx";
import { AccountList } from "./account-list.tsx";
import { EmailList } from "./email-list.tsx";
import { Health } from "./health.tsx";
import { instanceQuery } from "./instance-queries.ts";
import { type InstanceView, instanceViews } from "./instance-search.ts";
import { LogList } from "./log-list.tsx";
import { OrganizationList } from "./organization-list.tsx";

const { instance: texts } = text;

const parts: Readonly<Record<InstanceView, () => ReactNode>> = {
  health: Health,
  organizations: OrganizationList,
  accounts: AccountList,
  emails: EmailList,
  log: LogList,
};

/** The instance page of operators. The service decides who is one; the others read here what to do. */
export function InstancePage() {
  const { view = "health" } = useSearch({ from: "/frame/instance" });
  const found = useQuery(instanceQuery);
  const refusal = found.error instanceof ApiError ? found.error.reason : undefined;
  if (refusal === "operator_only") return <Refused hint={texts.notOperatorHint} title={texts.notOperator} />;
  if (refusal === "operator_second_factor")
    return <Refused hint={texts.secondFactorHint} leadsToAccount title={texts.secondFactor} />;
  const Part = parts[view];
  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader intro={texts.intro} title={text.pages.instance} />
      <nav aria-label={texts.navigation} className="mb-5 flex flex-wrap gap-1">
        {instanceViews.map((one) => (
          <Link
            aria-current={one === view ? "page" : undefined}
            className={`rounded-md px-3 py-1.5 font-medium ${one === view ? "bg-sunken text-ink" : "text-muted hover:text-ink"}`}
            key={one}
            search={{ view: one }}
            to="/instance"
          >
            {texts.views[one]}
            {one === "emails" && (found.data?.counts.failedEmails ?? 0) > 0 && ` (${found.data?.counts.failedEmails})`}
          </Link>
        ))}
      </nav>
      {found.isPending && <ListLoading />}
      {found.isError && <ErrorNotice error={found.error} onRetry={() => found.refetch()} />}
      {found.isSuccess && <Part />}
    </div>
  );
}

function Refused({
  title,
  hint,
  leadsToAccount = false,
}: {
  readonly title: string;
  readonly hint: string;
  readonly leadsToAccount?: boolean;
}) {
  const queryClient = useQueryClient();
  return (
    <Empty
      action={
        leadsToAccount && (
          <div className="flex flex-wrap justify-center gap-3">
            <PasskeyConfirm look="primary" onConfirmed={() => queryClient.invalidateQueries()} />
            <Link className={buttonClass()} to="/account">
              {texts.toAccount}
            </Link>
          </div>
        )
      }
      icon={<LockIcon className="size-6" />}
      isPage
      title={title}
    >
      {hint}
    </Empty>
  );
}
