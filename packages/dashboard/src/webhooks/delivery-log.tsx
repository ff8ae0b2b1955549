import { useInfiniteQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { type DeliveryFilter, queries } from "../api/queries.ts";
import { text } from "../texts/text.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ChevronIcon, RefreshIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge, Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import type { Delivery } from "./delivery.ts";
import { DeliveryDetails } from "./delivery-details.tsx";

export function DeliveryLog({ formId }: { readonly formId: string }) {
  const filterId = useId();
  const [filter, setFilter] = useState<DeliveryFilter>("all");
  const log = useInfiniteQuery(queries.deliveries(formId, filter));
  const [openId, setOpenId] = useState<string>();
  const texts = text.webhooks;
  const entries = log.data?.pages.flatMap((page) => page.logs) ?? [];
  return (
    <Section
      actions={
        <div className="flex items-center gap-2">
          <label className="sr-only" htmlFor={filterId}>
            {texts.filter}
          </label>
          <select
            className="control w-auto"
            id={filterId}
            onChange={(event) => setFilter(event.target.value as DeliveryFilter)} // the values below
            value={filter}
          >
            {(["all", "success", "failed"] as const).map((value) => (
              <option key={value} value={value}>
                {texts.filters[value]}
              </option>
            ))}
          </select>
          <IconButton
            icon={<RefreshIcon />}
            label={texts.refresh}
            onClick={() => log.refetch()}
            pending={log.isRefetching}
          />
        </div>
      }
      intro={texts.logIntro}
      title={texts.logTitle}
    >
      {log.isError && <ErrorNotice error={log.error} onRetry={() => log.refetch()} />}
      {log.isPending && (
        <div aria-busy="true" className="grid gap-3">
          <p className="sr-only">{text.common.loading}</p>
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-8 w-full" />
        </div>
      )}
      {log.isSuccess && entries.length === 0 && (
        <div className="rounded-lg bg-sunken px-4 py-8 text-center">
          <p className="font-medium">{filter === "all" ? texts.emptyTitle : texts.noneFound}</p>
          {filter === "all" && <p className="text-muted">{texts.emptyIntro}</p>}
        </div>
      )}
      <ul className="divide-y divide-line">
        {entries.map((delivery) => (
          <li key={delivery.id}>
            <button
              aria-expanded={openId === delivery.id}
              className="relative flex w-full flex-wrap items-center gap-x-3 gap-y-1 rounded py-2.5 pr-7 text-left hover:bg-sunken"
              onClick={() => setOpenId(openId === delivery.id ? undefined : delivery.id)}
              type="button"
            >
              <StatusBadge delivery={delivery} />
              <code className="font-mono text-sm">{delivery.event}</code>
              {delivery.test && <Badge>{texts.isTest}</Badge>}
              <span className="grow text-muted text-sm">
                {delivery.statusCode !== undefined && texts.answered(delivery.statusCode)}
                {delivery.retryCount > 0 && ` · ${texts.retries(delivery.retryCount)}`}
                {delivery.nextAttemptAt !== undefined && (
                  <>
                    {" · "}
                    {texts.nextAttempt}
                    <Time at={delivery.nextAttemptAt} />
                  </>
                )}
              </span>
              <span className="text-muted text-sm">
                <Time at={delivery.timestamp} />
              </span>
              <ChevronIcon
                className={`absolute top-3.5 right-1 size-4 text-muted ${openId === delivery.id ? "rotate-180" : ""}`}
              />
            </button>
            {openId === delivery.id && <DeliveryDetails deliveryId={delivery.id} formId={formId} />}
          </li>
        ))}
      </ul>
      {log.hasNextPage && (
        <div className="mt-3 text-center">
          <Button onClick={() => log.fetchNextPage()} pending={log.isFetchingNextPage} small>
            {texts.more}
          </Button>
        </div>
      )}
    </Section>
  );
}

function StatusBadge({ delivery: { status, nextAttemptAt } }: { readonly delivery: Delivery }) {
  const texts = text.webhooks.status;
  if (status === "success") return <Badge tone="good">{texts.success}</Badge>;
  return nextAttemptAt === undefined ? (
    <Badge tone="danger">{texts.failed}</Badge>
  ) : (
    <Badge tone="warning">{texts.waiting}</Badge>
  );
}
