import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { useMay } from "../organization/membership.ts";
import { text } from "../texts/text.ts";
import { buttonClass } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { isOfAccount, type Shared } from "./shared-usage.tsx";
import { logMaxOf, percentOf } from "./usage-meter.tsx";

const { usage: texts } = text;

const nearPercent = 80;

/** Says that the account, or the fullest of its forms, has little room left; nothing while all have enough. */
export function UsageNotice() {
  const may = useMay();
  const { data } = useQuery(queries.usage());
  const title = data === undefined ? undefined : describe(data);
  const logTitle = data === undefined ? undefined : describeLog(data);
  const shown = title ?? logTitle;
  const isAboutLog = title === undefined && may("listAuditEntries");
  if (shown === undefined) return null;
  return (
    <Notice
      action={
        <Link className={buttonClass("secondary", true)} to={isAboutLog ? "/audit-log" : "/account"}>
          {isAboutLog ? text.auditLog.link : texts.title}
        </Link>
      }
      title={<bdi>{shown}</bdi>}
      tone="warning"
    >
      {title === undefined ? texts.logMeans : texts.near}
    </Notice>
  );
}

/** The same about the audit log, on its own page. */
export function LogNotice() {
  const { data } = useQuery(queries.usage());
  const title = data && describeLog(data);
  return title === undefined ? null : (
    <Notice title={title} tone="warning">
      {texts.logMeans}
    </Notice>
  );
}

interface Usage {
  readonly bytes: number;
  readonly otherBytes: number;
  readonly logBytes: number;
  readonly bytesMax: number | null;
  readonly formBytesMax: number | null;
  readonly forms: readonly { readonly name: string; readonly bytes: number }[];
  readonly shared: Shared | null;
}

function describe({ bytes, otherBytes, bytesMax, formBytesMax, forms: [fullest], shared }: Usage): string | undefined {
  if (bytesMax === null || formBytesMax === null) return undefined;
  const account = percentOf(bytes + otherBytes, bytesMax);
  const together = Math.min(100, shared?.percent ?? account);
  const form = fullest === undefined ? 0 : percentOf(fullest.bytes, formBytesMax);
  if (form >= nearPercent && form > together) return texts.formNear(fullest?.name ?? "", form);
  if (together >= nearPercent) {
    if (together > account) return texts.sharedNear(together);
    return isOfAccount(shared) ? texts.accountNear(account) : texts.organizationNear(account);
  }
  const other = shared?.otherPercent ?? 0;
  return other >= nearPercent ? texts.otherNear(other) : undefined;
}

function describeLog({ logBytes, bytesMax }: Usage): string | undefined {
  const log = bytesMax === null ? 0 : percentOf(logBytes, logMaxOf(bytesMax));
  return log >= nearPercent ? texts.logNear(log) : undefined;
}
