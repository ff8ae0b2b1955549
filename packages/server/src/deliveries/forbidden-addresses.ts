import type { FormId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import { listStoredAddresses } from "../webhooks/webhook-store.ts";
import type { FindTarget } from "../webhooks/webhook-target.ts";

/** Forms whose webhook address is looked at, after a start or by `doctor`. */
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

/** Looks at the stored addresses in the background of a start, since name servers may take their time, and says which are forbidden. Never rejects. */
export async function warnOfForbidden(
  database: Database,
  findTarget: FindTarget,
  log: ForbiddenLog,
  signal: AbortSignal,
): Promise<void> {
  try {
    const forbidden = await findStoredForbidden(database, findTarget, signal);
    if (forbidden.length === 0 || signal.aborted) return;
    log.warn({}, `webhook addresses of ${describeForbidden(forbidden)}: set it and start again`);
  } catch {
    // The database is away, which the worker says.
  }
}

/** The stored addresses that are looked at, and forbidden: of `findForbidden`. */
export async function findStoredForbidden(
  database: Database,
  findTarget: FindTarget,
  signal: AbortSignal,
): Promise<readonly FormId[]> {
  return findForbidden(await listStoredAddresses(database, lookedAtMax), findTarget, signal);
}

/**
 * Forms, ascending, whose webhook address the networks that are open now forbid, and that was saved under others: deliveries to it fail, and nobody would know
 * before they have failed for good. A name that does not resolve is another matter. Each host is asked for once.
 */
export async function findForbidden(
  addresses: readonly StoredAddress[],
  findTarget: FindTarget,
  signal: AbortSignal,
): Promise<readonly FormId[]> {
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
  return forbidden.toSorted();
}

/** Names at most ten of them. */
export function describeForbidden(forbidden: readonly FormId[]): string {
  const named = forbidden.slice(0, namedMax).join(", ");
  const more = forbidden.length > namedMax ? ` and ${forbidden.length - namedMax} more` : "";
  return (
    `these forms are not allowed by the present SEALPOST_WEBHOOK_ALLOW_NETWORKS: ${named}${more}. ` +
    "Their deliveries fail after six attempts, about 27 hours, unless their networks are opened"
  );
}
