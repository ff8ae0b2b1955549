import type { Database } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { askWorkers } from "../database/worker-questions.ts";
import { type Finding, ok, problem } from "./finding.ts";

/** The workers of a cluster, by what its coordinator reaches. Nothing where there is none. */
export async function checkWorkers(database: Database): Promise<readonly Finding[]> {
  if (!isDistributed(database)) return [];
  const workers = await askWorkers(database);
  const away = workers.flatMap(({ name, answers }) => (answers ? [] : [name]));
  if (away.length === 0) return [ok("database", `The ${workers.length} workers of the cluster answer`)];
  return away.map((name) =>
    problem(
      "database",
      `The worker ${name} of the cluster does not answer: nothing of the forms on it is accepted, shown or sent`,
      "Bring it back, or lead its address to its standby (docs/citus.md). What is in the tables is looked at when all answer",
    ),
  );
}
