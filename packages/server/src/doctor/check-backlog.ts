import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { readBacklog } from "../metrics/backlog-store.ts";
import { type Finding, ok, warning } from "./finding.ts";

const lateMilliseconds = 10 * 60_000;

/** Deliveries and emails that should have been sent by now. */
export async function checkBacklog(database: Database, { mail }: Config, now: number): Promise<readonly Finding[]> {
  const { due, oldestDueAt, emails, oldestMailAt } = await readBacklog(database, now);
  const findings = [
    classifyBacklog("deliveries", {
      ...{ none: "No delivery is waiting that is due", some: `Deliveries that are due: ${due}` },
      ...{ since: oldestDueAt, now },
      remedy: "Start the service if it is stopped; else look in its log for what keeps it from sending",
    }),
  ];
  if (mail === undefined) return findings;
  const waiting = classifyBacklog("mail", {
    ...{ none: "No mail is waiting", some: `Emails that wait: ${emails}` },
    ...{ since: oldestMailAt, now },
    remedy: "Start the service if it is stopped; else look in its log for emails that could not be sent",
  });
  return [...findings, waiting];
}

interface WaitingWork {
  readonly none: string;
  readonly some: string;
  /** Since when the oldest waits. */
  readonly since: number | undefined;
  readonly now: number;
  readonly remedy: string;
}

function classifyBacklog(check: "deliveries" | "mail", { none, some, since, now, remedy }: WaitingWork): Finding {
  if (since === undefined) return ok(check, none);
  const message = `${some}, the oldest for ${Math.floor((now - since) / 60_000)} minutes`;
  return now - since > lateMilliseconds ? warning(check, message, remedy) : ok(check, message);
}
