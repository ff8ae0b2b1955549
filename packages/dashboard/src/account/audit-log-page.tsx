import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type AuditFilters, isFiltered } from "../api/audit-filters.ts";
import { queries } from "../api/queries.ts";
import { useMay } from "../organization/membership.ts";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ListLoading, MoreButton } from "../ui/long-list.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page.tsx";
import { LogNotice } from "../usage/usage-notice.tsx";
import { Entries } from "./audit-entries.tsx";
import { AuditFilterFields } from "./audit-filter-fields.tsx";
import { AuditHead } from "./audit-head.tsx";
import { ShortenLog } from "./shorten-log.tsx";

const { auditLog: texts } = text;

/** The account's audit log, newest first, narrowed down to what the address says, with its head. */
export function AuditLogPage() {
  const may = useMay();
  const filters = useSearch({ from: "/frame/audit-log" });
  const navigate = useNavigate({ from: "/audit-log" });
  const log = useInfiniteQuery({ ...queries.auditLog(filters), placeholderData: keepPreviousData });
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  const { head, removed } = log.data?.pages[0] ?? {};
  // In the place of the filters before, or the way back would lead through each of them.
  const show = (chosen: AuditFilters) => void navigate({ search: chosen, replace: true });
  return (
    <div className="mx-auto grid max-w-3xl gap-6">
      <div className="-mb-6">
        <PageHeader intro={texts.intro} title={text.pages.auditLog} />
      </div>
      {may("getUsage") && <LogNotice />}
      {log.isLoading && <ListLoading />}
      {head !== undefined && <AuditHead head={head} />}
      {/* Shown last: the part above it would move it away under the finger. */}
      <div className={`card p-5 sm:p-6 ${log.isLoading ? "hidden" : ""}`}>
        <AuditFilterFields filters={filters} onChange={show} />
        <p className="sr-only" role="status">
          {log.isSuccess && !log.isPlaceholderData && texts.shown(entries.length)}
        </p>
        {log.isError && <ErrorNotice error={log.error} onRetry={() => log.refetch()} />}
        {log.isSuccess && entries.length === 0 && (
          <p className="text-muted">{isFiltered(filters) ? texts.noneFound : texts.empty}</p>
        )}
        {isFiltered(filters) && entries.length === 0 && (
          <Button className="mt-3" onClick={() => show({})} small>
            {texts.clear}
          </Button>
        )}
        <Entries entries={entries} />
        <MoreButton list={log}>{texts.more}</MoreButton>
        {log.isSuccess && !log.hasNextPage && removed !== undefined && (
          <div className="mt-4">
            <Notice title={texts.checkpoint}>{texts.removed(removed.count, formatDate(removed.timestamp))}</Notice>
          </div>
        )}
      </div>
      {!log.isLoading && <ShortenLog />}
    </div>
  );
}
