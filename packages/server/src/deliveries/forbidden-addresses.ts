import type { FormId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import { listStoredAddresses } from "../webhooks/webhook-store.ts";
import type { FindTarget } from "../webhooks/webhook-target.ts";

/** Forms whose webhook address is looked at after a start. */
const lookedAtMax = 1000;
const togetherMax = 8;
const namedMax = 10;
const deadlineMilliseconds = 5000;

export interface ForbiddenLog {
  warn(details: object, message: string): void;
}

export interface StoredAddress {
  readonly formId: FormId;
  readonly url: string;
}

/** Looks at the stored addresses in the background of a start, since name servers may take their time, and says what `describeForbidden` gives. Never rejects. */
export async function warnOfForbidden(
  database: Database,
  findTarget: FindTarget,
  log: ForbiddenLog,
  signal: AbortSignal,
): Promise<void> {
  try {
    const sentence = await describeForbidden(await listStoredAddresses(database, lookedAtMax), findTarget, signal);
    if (sentence !== undefined) log.warn({}, sentence);
  } catch {
    // The database is away, which the worker says.
  }
}

/**
 * What the log says where the networks that are open now forbid webhook addresses that were saved under others: deliveries to them fail, and nobody
 * would know before they have failed for good. `undefined` where all are allowed. A name that does not resolve is another matter.
 */
export async function describeForbidden(
  addresses: readonly StoredAddress[],
  findTarget: FindTarget,
  signal: AbortSignal,
): Promise<string | undefined> {
  const byHost = Map.groupBy(addresses, ({ url }) => new URL(url).host);
  const forbidden: FormId[] = [];
  const left = [...byHost.values()];
  async function lookAtNext(): Promise<void> {
    for (let same = left.pop(); same !== undefined && !signal.aborted; same = left.pop()) {
      const [{ url } = { url: "" }] = same;
      const ending = AbortSignal.any([signal, AbortSignal.timeout(deadlineMilliseconds)]);
      const { kind } = await findTarget(new URL(url), ending);
      if (kind === "forbidden") forbidden.push(...same.map(({ formId }) => formId));
    }
  }
  await Promise.all(Array.from({ length: togetherMax }, lookAtNext));
  if (forbidden.length === 0 || signal.aborted) return undefined;
  const named = forbidden.toSorted().slice(0, namedMax).join(", ");
  const more = forbidden.length > namedMax ? ` and ${forbidden.length - namedMax} more` : "";
  return (
    `webhook addresses of these forms are not allowed by the present SEALPOST_WEBHOOK_ALLOW_NETWORKS: ${named}${more}. ` +
    "Their deliveries fail after six attempts, about 27 hours, unless their networks are opened: set it and start again"
  );
}
