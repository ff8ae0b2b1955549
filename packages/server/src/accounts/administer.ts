import type { Config } from "../config/config.ts";
import { explainFolderFailure } from "../database/folder-failure.ts";
import type { AccountAdministration } from "./account-administration.ts";

/** Opens the database for one piece of work, and closes it. What it takes is loaded only now: most commands need none of it. */
export async function administer<Result>(
  config: Config,
  work: (administration: AccountAdministration) => Promise<Result>,
): Promise<Result> {
  try {
    const { createAccountAdministration } = await import("./account-administration.ts");
    const administration = await createAccountAdministration(config);
    try {
      return await work(administration);
    } finally {
      await administration.close();
    }
  } catch (error) {
    throw config.databaseUrl === undefined ? explainFolderFailure(error, config.dataFolder) : error;
  }
}
