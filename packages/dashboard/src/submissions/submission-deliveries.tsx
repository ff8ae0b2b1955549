import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { DeliveryList } from "../deliveries/delivery-list.tsx";
import { useForm } from "../form/form-frame.tsx";
import { findDeliveryLogDays } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { IconButton } from "../ui/button.tsx";
import { RefreshIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";

/** The newest deliveries of one submission to the form's webhook, with a link to the log. */
export function SubmissionDeliveries({ submissionId }: { readonly submissionId: string }) {
  const form = useForm();
  const log = useInfiniteQuery(queries.deliveries(form.id, "all", submissionId));
  const texts = text.submissions.deliveries;
  const deliveries = log.data?.pages[0]?.logs ?? [];
  const hasUrl = form.settings.webhookUrl !== null;
  return (
    <section aria-label={texts.title} className="border-line border-t pt-4">
      <div className="flex items-center justify-between gap-2">
        <h3 className="font-semibold">{texts.title}</h3>
        {hasUrl && (
          <IconButton
            icon={<RefreshIcon />}
            label={texts.refresh}
            onClick={() => log.refetch()}
            pending={log.isRefetching}
          />
        )}
      </div>
      {log.isError && <ErrorNotice error={log.error} onRetry={() => log.refetch()} />}
      {log.isPending && <Skeleton className="h-8 w-full" />}
      {log.isSuccess && deliveries.length === 0 && (
        <p className="text-muted text-sm">{hasUrl ? texts.none(findDeliveryLogDays()) : texts.noAddress}</p>
      )}
      <DeliveryList deliveries={deliveries} formId={form.id} />
      {(hasUrl || deliveries.length > 0) && (
        <Link
          className="mt-2 inline-block font-medium text-accent text-sm"
          params={{ formId: form.id }}
          search={{ submission: submissionId }}
          to="/forms/$formId/webhook"
        >
          {texts.toLog}
        </Link>
      )}
    </section>
  );
}
