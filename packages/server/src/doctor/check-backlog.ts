import type { Database } from "../database/database.ts";
import { readDeliveriesDue, readEmailsWaiting } from "../metrics/backlog-store.ts";
import { type Finding, ok, warning } from "./finding.ts";

const lateMilliseconds = 10 * 60_000;

/** Deliveries that should have been sent by now. */
export async function checkDeliveries(database: Database, now: number): Promise<readonly Finding[]> {
  const { due, oldestDueAt } = await readDeliveriesDue(database, now);
  return [
    classifyBacklog("deliveries", {
      ...{ none: "No delivery is waiting that is due", some: `Deliveries that are due: ${due}` },
      ...{ since: oldestDueAt, now },
      remedy: "Start the service if it is stopped; else look in its log for what keeps it from sending",
    }),
  ];
}

/** The same of emails. */
export async function checkEmails(database: Database, now: number): Promise<readonly Finding[]> {
  const { emails, oldestMailAt } = await readEmailsWaiting(database);
  return [
    classifyBacklog("mail", {
      ...{ none: "No mail is waiting", some: `Emails that wait: ${emails}` },
      ...{ since: oldestMailAt, now },
      remedy: "Start the service if it is stopped; else look in its log for emails that could not be sent",
    }),
  ];
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
