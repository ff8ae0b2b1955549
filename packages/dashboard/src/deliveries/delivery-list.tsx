import { useState } from "react";
import { serviceNow } from "../api/service-clock.ts";
import { text } from "../texts/text.ts";
import { ChevronIcon } from "../ui/icons.tsx";
import { Badge } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import type { Delivery } from "./delivery.ts";
import { DeliveryDetails } from "./delivery-details.tsx";

const { webhooks: texts } = text;

/** Deliveries with what became of each; one at a time shows its attempts. */
export function DeliveryList({
  formId,
  deliveries,
}: {
  readonly formId: string;
  readonly deliveries: readonly Delivery[];
}) {
  const [openId, setOpenId] = useState<string>();
  return (
    <ul className="divide-y divide-line">
      {deliveries.map((delivery) => (
        <li key={delivery.id}>
          <button
            aria-expanded={openId === delivery.id}
            className="relative flex w-full flex-wrap items-center gap-x-3 gap-y-1 rounded py-2.5 pr-7 text-left hover:bg-sunken"
            onClick={() => setOpenId(openId === delivery.id ? undefined : delivery.id)}
            type="button"
          >
            <StatusBadge delivery={delivery} />
            <code translate="no" className="font-mono text-sm">
              {delivery.event}
            </code>
            {delivery.test && <Badge>{texts.isTest}</Badge>}
            <span className="grow text-muted text-sm">
              {delivery.statusCode !== undefined && texts.answered(delivery.statusCode)}
              {delivery.statusCode !== undefined && delivery.retryCount > 0 && " · "}
              {delivery.retryCount > 0 && texts.retries(delivery.retryCount)}
              {delivery.nextAttemptAt !== undefined && (
                <>
                  {(delivery.statusCode !== undefined || delivery.retryCount > 0) && " · "}
                  {delivery.nextAttemptAt < serviceNow() + 5_000 ? (
                    texts.nextAttemptDue
                  ) : (
                    <>
                      {texts.nextAttempt}
                      <Time at={delivery.nextAttemptAt} />
                    </>
                  )}
                </>
              )}
            </span>
            <span className="ml-auto text-muted text-sm">
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
  );
}

function StatusBadge({ delivery: { status, nextAttemptAt } }: { readonly delivery: Delivery }) {
  const statuses = texts.status;
  if (status === "success") return <Badge tone="good">{statuses.success}</Badge>;
  return nextAttemptAt === undefined ? (
    <Badge tone="danger">{statuses.failed}</Badge>
  ) : (
    <Badge tone="warning">{statuses.waiting}</Badge>
  );
}
