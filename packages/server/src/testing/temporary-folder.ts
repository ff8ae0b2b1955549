import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A folder that is gone when the test ends. */
export function createTemporaryFolder(t: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
