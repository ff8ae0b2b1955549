import type { FormListItem } from "@sealpost/sdk";
import { printable } from "./printable.ts";
import { formatTime } from "./table.ts";

type Refused = NonNullable<FormListItem["refusedVisitors"]>[number];

/** For which cause a form refuses visitors (docs/embed.md), since when, and when it was seen last. */
export function describeRefused({ cause, since, lastAt }: Refused): string {
  return `${printable(cause)} since ${formatTime(since)}, last ${formatTime(lastAt)}`;
}
