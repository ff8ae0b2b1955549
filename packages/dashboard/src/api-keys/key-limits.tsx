import type { ApiKeyListItem } from "@sealpost/sdk";
import { serviceNow } from "../api/service-clock.ts";
import { NamedForms } from "../organization/member-row.tsx";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Badge } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";

const { apiKeyLimits: texts } = text;

const dayMilliseconds = 86_400_000;
/** When its owners get an email. */
const soonMilliseconds = 7 * dayMilliseconds;

/** Which forms a key is for, and until when; nothing of a key without limits. */
export function KeyLimits({ apiKey: { forms, expiresAt } }: { readonly apiKey: ApiKeyListItem }) {
  return (
    <>
      {forms !== undefined && (
        <div className="mt-0.5 flex flex-wrap gap-x-1 text-sm">
          <span className="text-muted">{texts.onlyForms}</span>
          <NamedForms ids={forms} />
        </div>
      )}
      {expiresAt !== undefined && <Expiry at={Date.parse(expiresAt)} />}
    </>
  );
}

function Expiry({ at }: { readonly at: number }) {
  const left = at - serviceNow();
  if (left <= 0)
    return (
      <p className="mt-0.5 text-sm">
        <Badge tone="danger">{texts.expired}</Badge> {texts.expiredAt(formatDate(at))}
      </p>
    );
  if (left >= soonMilliseconds)
    return (
      <p className="mt-0.5 text-muted text-sm">
        {texts.expiresInDays(Math.round(left / dayMilliseconds), formatDate(at))}
      </p>
    );
  return (
    <p className="mt-0.5 text-sm text-warning">
      {texts.expires}
      <Time at={at} />
    </p>
  );
}
