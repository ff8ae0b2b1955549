import { join } from "node:path";
import { createTemporaryFolder, type TestScope } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTestDatabase } from "../../packages/server/src/testing/test-database.ts";

/** A new instance on the database under test, for services that are killed and started again on it; nothing is limited. */
export async function createKillEnvironment(
  t: TestScope,
): Promise<{ readonly dataFolder: string; readonly environment: Record<string, string> }> {
  const folder = createTemporaryFolder(t);
  const dataFolder = join(folder, "data");
  const environment = {
    ...(await createTestDatabase(t, folder)),
    SEALPOST_DATA: dataFolder,
    SEALPOST_PORT: "0",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_API_RATE: "0",
  };
  return { dataFolder, environment };
}
