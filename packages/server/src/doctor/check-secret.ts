import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { findSecretsError } from "../instance/open-key-ring.ts";
import { describeMissingSecret, readSecrets, secretFileOf } from "../instance/secret-file.ts";
import { listSecretKeys } from "../instance/secret-key-store.ts";
import { countSecretUse } from "../operators/secret-rotation.ts";
import { describeUse } from "../operators/secret-words.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const secretPlace = "The secret (SEALPOST_SECRET, or the file `secret` in the data folder)";

/** Whether the secret that is configured opens what the database holds. */
export async function checkSecret(database: Database, { secrets, dataFolder }: Config): Promise<readonly Finding[]> {
  const keys = await listSecretKeys(database);
  const file = secretFileOf(dataFolder);
  if (keys.length === 0) return [];
  if (secrets === undefined && !existsSync(file))
    return [
      problem(
        "database",
        describeMissingSecret(file),
        "Bring the secret back from where you keep it; without it the service does not start",
      ),
    ];
  const error = findSecretsError(keys, secrets ?? readSecrets(file), secretPlace);
  if (error !== undefined)
    return [problem("database", error, "Bring the right secret back: the service does not start without it")];
  const uses = await countSecretUse(database);
  const others = uses.filter(({ key: { state } }) => state !== "active" && state !== "dropped");
  return [
    ok("database", "The secret is the one that the database is sealed with"),
    ...others.map((use) =>
      use.key.state === "spent"
        ? ok("database", describeUse(use))
        : warning("database", describeUse(use), "Let it finish: sealpost-server secret rotate"),
    ),
  ];
}
