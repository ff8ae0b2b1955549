import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { type DeliveryFilter, queries } from "../api/queries.ts";
import { DeliveryList } from "../deliveries/delivery-list.tsx";
import { findDeliveryLogDays } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { IconButton } from "../ui/button.tsx";
import { RefreshIcon } from "../ui/icons.tsx";
import { ListLoading, MoreButton } from "../ui/long-list.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";

const { webhooks: texts } = text;

/** The form's deliveries; with `submissionId` those that tell of one submission. */
export function DeliveryLog({
  formId,
  submissionId,
}: {
  readonly formId: string;
  readonly submissionId: string | undefined;
}) {
  const filterId = useId();
  const [filter, setFilter] = useState<DeliveryFilter>("all");
  const log = useInfiniteQuery(queries.deliveries(formId, filter, submissionId));
  const isFiltered = filter !== "all" || submissionId !== undefined;
  const entries = log.data?.pages.flatMap((page) => page.logs) ?? [];
  return (
    <Section
      actions={
        <div className="flex items-center gap-2">
          <label className="sr-only" htmlFor={filterId}>
            {texts.filter}
          </label>
          <Select
            id={filterId}
            look="button"
            onChange={setFilter}
            options={(["all", "success", "failed"] as const).map((value) => [value, texts.filters[value]])}
            value={filter}
          />
          <IconButton
            icon={<RefreshIcon />}
            label={texts.refresh}
            onClick={() => log.refetch()}
            pending={log.isRefetching}
          />
        </div>
      }
      intro={texts.logIntro(findDeliveryLogDays())}
      title={texts.logTitle}
    >
      {submissionId !== undefined && <OfSubmission formId={formId} submissionId={submissionId} />}
      {log.isError && <ErrorNotice error={log.error} onRetry={() => log.refetch()} />}
      {log.isPending && <ListLoading />}
      {log.isSuccess && entries.length === 0 && (
        <div className="rounded-lg bg-sunken px-4 py-8 text-center">
          <p className="font-medium">{isFiltered ? texts.noneFound : texts.emptyTitle}</p>
          {!isFiltered && <p className="text-muted">{texts.emptyIntro}</p>}
        </div>
      )}
      <DeliveryList deliveries={entries} formId={formId} />
      <MoreButton list={log}>{texts.more}</MoreButton>
    </Section>
  );
}

function OfSubmission({ formId, submissionId }: { readonly formId: string; readonly submissionId: string }) {
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-sunken px-4 py-2">
      <span className="min-w-0 grow break-all">
        {texts.ofSubmission}{" "}
        <code className="font-mono text-sm" translate="no">
          {submissionId}
        </code>
      </span>
      <Link className="font-medium text-accent" params={{ formId }} to="/forms/$formId/webhook">
        {texts.ofAll}
      </Link>
    </p>
  );
}
