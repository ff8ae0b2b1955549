import type { Config } from "../config/config.ts";
import type { AccountAdministration } from "./account-administration.ts";

/** Opens the database for one piece of work, and closes it. What it takes is loaded only now: most commands need none of it. */
export async function administer<Result>(
  config: Config,
  work: (administration: AccountAdministration) => Promise<Result>,
): Promise<Result> {
  const { withDatabase } = await import("../instance/with-database.ts");
  const { createAccountAdministration } = await import("./account-administration.ts");
  return withDatabase(config, async (database) => work(await createAccountAdministration(database, config)));
}
