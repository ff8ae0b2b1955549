import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { useMay } from "../organization/membership.ts";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { describeFailure } from "./describe-failure.ts";

const { webhooks: texts } = text;

/** The attempts of a delivery and the body that was sent, with a way to send it again. */
export function DeliveryDetails({ formId, deliveryId }: { readonly formId: string; readonly deliveryId: string }) {
  const delivery = useQuery(queries.delivery(formId, deliveryId));
  const mayResend = useMay()("resendDelivery");
  const queryClient = useQueryClient();
  const resending = useMutation({
    mutationFn: () => client.webhooks.resend(formId, deliveryId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["form", formId, "deliveries"] }),
  });
  if (delivery.isLoadingError) return <ErrorNotice error={delivery.error} onRetry={() => delivery.refetch()} />;
  if (delivery.data === undefined) return <Skeleton className="mb-3 h-24 w-full" />;
  const { id, attempts, body } = delivery.data;
  return (
    <section aria-label={texts.details} className="mb-4 grid gap-4 rounded-lg border border-line bg-sunken p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted text-sm">
          {texts.id}{" "}
          <code translate="no" className="break-all font-mono">
            {id}
          </code>
        </p>
        {typeof body === "string" && mayResend && (
          <Button onClick={() => resending.mutate()} pending={resending.isPending} small>
            {texts.resend}
          </Button>
        )}
      </div>
      {resending.isError && <ErrorNotice error={resending.error} />}
      <p className="text-accent empty:absolute" role="status">
        {resending.isSuccess && texts.resent}
      </p>
      <div>
        <h3 className="font-semibold">{texts.attempts}</h3>
        <ol className="mt-1 grid gap-2">
          {attempts.map(({ number, startedAt, duration, statusCode, errorCode, url, repeatReason }) => (
            <li className="text-sm" key={`${number} ${startedAt} ${repeatReason} ${duration}`}>
              <span className="font-medium">{texts.attempt(number)}</span>
              {repeatReason !== undefined && ` (${texts.repeated[repeatReason]})`}
              {` · ${formatDateTime(startedAt)} · ${statusCode === undefined ? texts.noAnswer : texts.answered(statusCode)}`}
              {duration !== undefined && ` · ${texts.duration(duration)}`}
              {errorCode !== undefined && (
                <span className="block text-danger">{describeFailure(errorCode, statusCode)}</span>
              )}
              <bdi className="block break-all font-mono text-muted text-xs" translate="no">
                {url}
              </bdi>
            </li>
          ))}
        </ol>
      </div>
      {typeof body === "string" ? (
        <CodeBlock code={body} label={texts.body} wrap />
      ) : (
        <p className="text-muted text-sm">{texts.bodyGone}</p>
      )}
    </section>
  );
}
