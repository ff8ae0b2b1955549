import { parseDatabaseUrl } from "../config/database-url.ts";
import { choosePrimary } from "../database/choose-primary.ts";
import type { Database } from "../database/database.ts";
import { findHostConcerns, type HostConcern } from "../database/host-concerns.ts";
import { askHost } from "../database/host-state.ts";
import { hasIdleLimit, writesBeforeAnswers } from "./doctor-store.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const remedies = {
  gone: "Look whether it runs and lets this machine in: until then it cannot take over",
  lagging: "Look in its log for what keeps it from following: what it lacks would be lost with the primary",
  "read-only": "Make it a standby of the primary, or take it out of SEALPOST_DATABASE_URL",
  asynchronous:
    "Let the primary wait for a standby (docs/standby.md), if losing the newest submissions is worse than waiting",
} satisfies Record<HostConcern["kind"], string>;

/** The servers of a PostgreSQL database: what the loss of one of them would cost, and what lies between. */
export async function checkHosts(url: string, database: Database): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  if (!(await hasIdleLimit(database)))
    findings.push(
      warning(
        "database",
        "Nothing ends a transaction of a process that hangs: a pooler does not pass our setting on",
        "Set it for the user: alter role … set idle_in_transaction_session_timeout = '15s'",
      ),
    );
  if (!(await writesBeforeAnswers(database)))
    findings.push(
      warning(
        "database",
        "PostgreSQL answers before a commit is on its disk (synchronous_commit is off): the service switches it on in each transaction, but a crash may lose single statements",
        "Set it for the user: alter role … set synchronous_commit = on",
      ),
    );
  const { hosts = [] } = parseDatabaseUrl(url) ?? {};
  if (hosts.length < 2) return findings;
  const names = hosts.map(({ name }) => name);
  const answers = await Promise.all(hosts.map((host) => askHost(host.url)));
  const primary = choosePrimary(names, answers, undefined);
  const concerns = findHostConcerns(names, answers, primary);
  for (const { kind, message } of concerns)
    findings.push((kind === "asynchronous" ? warning : problem)("database", message, remedies[kind]));
  if (concerns.length === 0)
    findings.push(ok("database", `${names[primary.index]} is the primary, and the others follow it`));
  return findings;
}
