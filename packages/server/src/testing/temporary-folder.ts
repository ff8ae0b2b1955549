import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What ends with a test: its context, or the whole file's `{ after }` from node:test. */
export interface TestScope {
  after(close: () => void | Promise<void>): void;
}

/** A folder that is gone when the test ends. */
export function createTemporaryFolder(t: TestScope): string {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
