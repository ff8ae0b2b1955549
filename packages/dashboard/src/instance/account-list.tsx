import type { InstanceAccount } from "@sealpost/sdk";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSession } from "../session/session.ts";
import { instance as texts } from "../texts/english/instance.ts";
import { formatDate } from "../texts/format.ts";
import { Button } from "../ui/button.tsx";
import { ListLoading, MoreButton } from "../ui/long-list.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge } from "../ui/page.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";
import { accountsOf } from "./instance-queries.ts";
import { useListControls } from "./list-controls.tsx";
import { ManageAccount } from "./manage-account.tsx";

/** The persons who can sign in, or could. */
export function AccountList() {
  const { search, sort, controls } = useListControls(["newest", "address"]);
  const list = useInfiniteQuery(accountsOf({ search, sort }));
  const [managing, setManaging] = useState<InstanceAccount>();
  const [done, setDone] = useState("");
  const status = useFocusInstead<HTMLDivElement>(done);
  const accounts = list.data?.pages.flatMap((page) => page.accounts) ?? [];
  return (
    <div className="card p-5 sm:p-6">
      {controls}
      <div className="mb-3 outline-none empty:hidden" ref={status} role="status" tabIndex={-1}>
        {done !== "" && <Notice tone="good">{done}</Notice>}
      </div>
      {list.isPending && <ListLoading />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => list.refetch()} />}
      {list.isSuccess && <p className="text-muted text-sm">{texts.found(list.data.pages[0]?.total ?? 0)}</p>}
      {list.isSuccess && accounts.length === 0 && <p>{texts.nothingFound}</p>}
      <ul aria-label={texts.views.accounts} className="divide-y divide-line">
        {accounts.map((one) => (
          <Row account={one} key={one.id} onManage={() => setManaging(one)} />
        ))}
      </ul>
      <MoreButton list={list}>{texts.more}</MoreButton>
      {managing !== undefined && (
        <ManageAccount
          account={managing}
          onClose={() => setManaging(undefined)}
          onDone={(sentence) => {
            setManaging(undefined);
            setDone(sentence);
          }}
        />
      )}
    </div>
  );
}

function Row({ account, onManage }: { readonly account: InstanceAccount; readonly onManage: () => void }) {
  const { id, name, email, createdAt, disabledAt, verified, secondFactor, operatorSince } = account;
  const { user } = useSession();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 py-3.5">
      <div className="grid min-w-0 grow basis-64 gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="min-w-0 break-all font-medium">{email}</bdi>
          {id === user.id && <Badge>{texts.you}</Badge>}
          {operatorSince !== null && <Badge tone="good">{texts.operator}</Badge>}
          {disabledAt !== null && <Badge tone="warning">{texts.disabled}</Badge>}
          {!verified && <Badge>{texts.unverified}</Badge>}
          {operatorSince !== null && !secondFactor && <Badge tone="warning">{texts.noSecondFactor}</Badge>}
        </p>
        <p className="min-w-0 break-words text-muted text-sm">
          {name !== "" && (
            <>
              <bdi>{name}</bdi> ·{" "}
            </>
          )}
          {texts.accountLine(account.organizations, account.sessions, account.apiKeys)} · {formatDate(createdAt)}
        </p>
      </div>
      <Button aria-label={texts.manageOf(email)} onClick={onManage} small>
        {texts.manage}
      </Button>
    </li>
  );
}
