import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../../config/config.ts";
import { createTemporaryFolder, type TestScope } from "../../testing/temporary-folder.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { backUp } from "../backup.ts";
import { restore } from "../restore.ts";

export async function settings(t: TestScope, folder: string): Promise<Record<string, string>> {
  return { SEALPOST_DATA: folder, ...(await createTestDatabase(t, folder)) };
}

/** The secret as a file, where an operator keeps it. */
export function keepSecret(t: TestScope, environment: Readonly<Record<string, string>>): string {
  const { SEALPOST_SECRET: secret, SEALPOST_DATA: folder = "" } = environment;
  const file = join(createTemporaryFolder(t), "secret");
  if (secret === undefined) copyFileSync(join(folder, "secret"), file);
  else writeFileSync(file, secret);
  return file;
}

export async function backUpTo(t: TestScope, folder: string, to: string) {
  const config = parseConfig(await settings(t, folder));
  return backUp({ config, to, now: Date.now(), onProgress: () => {} });
}

export async function restoreTo(t: TestScope, folder: string, from: string, secretFile: string | undefined) {
  const config = parseConfig(await settings(t, folder));
  return restore({ config, from, secretFile, now: Date.now(), onProgress: () => {} });
}
