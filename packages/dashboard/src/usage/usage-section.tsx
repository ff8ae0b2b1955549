import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { useMembership } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { Section, Skeleton } from "../ui/page.tsx";
import { isOfAccount, SharedUsage } from "./shared-usage.tsx";
import { logMaxOf, UsageMeter } from "./usage-meter.tsx";

const { usage: texts } = text;

const shownForms = 5;

/** How much the account stores, and may store. */
export function UsageSection() {
  const usage = useQuery(queries.usage());
  const name = useMembership()?.name || texts.organization;
  const {
    bytes: submissionBytes = 0,
    otherBytes = 0,
    logBytes = 0,
    bytesMax = null,
    formBytesMax = null,
    forms = [],
    shared = null,
  } = usage.data ?? {};
  const bytes = submissionBytes + otherBytes;
  // By its name, below: with the others that share the storage.
  const isListed = shared !== null && shared.organizations.length > 1;
  return (
    <Section intro={texts.intro} title={texts.title}>
      {usage.isPending && <Skeleton className="h-10 w-full" />}
      {usage.isError && <ErrorNotice error={usage.error} onRetry={() => usage.refetch()} />}
      {usage.isSuccess && bytesMax === null && <p>{texts.unlimited(bytes)}</p>}
      {bytesMax !== null && formBytesMax !== null && (
        <div className="grid gap-4">
          <UsageMeter
            bytes={bytes}
            label={isOfAccount(shared) ? texts.account : isListed ? texts.organization : name}
            max={bytesMax}
          />
          {shared !== null && <SharedUsage max={bytesMax} shared={shared} />}
          {forms.length > 0 && <h3 className="font-medium text-sm">{texts.fullest}</h3>}
          {forms.slice(0, shownForms).map((form) => (
            <UsageMeter bytes={form.bytes} key={form.id} label={form.name} max={formBytesMax} />
          ))}
          <p className="text-muted text-sm">{texts.reserve}</p>
          <UsageMeter bytes={logBytes} label={texts.log} max={logMaxOf(bytesMax)} />
          <p className="text-muted text-sm">{texts.logMeans}</p>
        </div>
      )}
    </Section>
  );
}
