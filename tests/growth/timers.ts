import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../packages/server/src/", import.meta.url));
const sources = globSync("**/*.ts", { cwd: folder, exclude: (name) => /testing$|\.test\.ts$/.test(name) });

export function filesOfServiceWith(words: RegExp): readonly string[] {
  return sources.filter((file) => words.test(readFileSync(`${folder}${file}`, "utf8"))).toSorted();
}

/** Its timer is called by `background-growth.check.ts`. */
export const byTimer = "its timer is called here";

/** Every file that has something done later, with how that comes into the check of growth, or why it sends no statement that could grow. */
export const timers = {
  "audit-log/counted-actions.ts": byTimer,
  "audit-log/owed-entries.ts": "after a full disk alone: each entry as its read would have written it",
  "authentication/standing.ts": "while a long answer is sent: what each request asks as well",
  "database/background-worker.ts": "the steps of one version, each of which bounds itself",
  "database/host-watch.ts": "asks a host which it is, and no table",
  "database/hosts.ts": "forgets in memory",
  "database/notifications.ts": "asks a connection whether it is there",
  "database/shared-clock.ts": byTimer,
  "deliveries/delivery-retention.ts": byTimer,
  "deliveries/delivery-worker.ts": "looks each second, here too",
  "deliveries/webhook-test-line.ts": "ends waiting in a line",
  "http/connections.ts": "ends a connection",
  "http/lingering-close.ts": "reads on from a connection for a while",
  "http/summed-lines.ts": "writes the log",
  "http/unfinished-bodies.ts": byTimer,
  "mail/mail-client.ts": "ends a connection",
  "mail/mail-worker.ts": byTimer,
  "metrics/process-metrics.ts": "ends waiting for other processes",
  "operators/secret-watch.ts": byTimer,
  "output/output.ts": "ends waiting for the output",
  "rate-limits/rate-limits.ts": byTimer,
  "rate-limits/transaction-places.ts": "ends waiting for a place",
  "retention/purge-worker.ts": byTimer,
  "serve/processes.ts": "starts a process",
  "service.ts": "ends waiting for a load balancer",
  "startup/accounts.ts": byTimer,
  "submissions/ingest.ts": "begins a commit of other forms, as submissions do",
  "submissions/strip-thread.ts": "ends a thread",
  "time/loop.ts": "the timer of the loops of the others",
  "watchdog/watchdog-thread-entry.ts": "ends a process",
  "watchdog/watchdog.ts": "tells its thread that the process runs",
  "webhooks/webhook-client.ts": "ends a request",
} as const satisfies Readonly<Record<string, string>>;
