import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMemoryFolder } from "./memory-folder.ts";

/** The lifetime of a test: its context, or the whole file's `{ after }` from node:test. */
export interface TestScope {
  after(close: () => unknown): void;
}

const closersOf = new WeakMap<TestScope, (() => unknown)[]>();

/**
 * Closes at the end of the test, the newest first. The runner's own hooks run in the order in which they were registered,
 * and would take the folder or the database away from under what still uses it.
 */
export function closeAtEnd(t: TestScope, close: () => unknown): void {
  const known = closersOf.get(t);
  if (known !== undefined) return void known.push(close);
  const closers = [close];
  closersOf.set(t, closers);
  t.after(async () => {
    for (let next = closers.pop(); next !== undefined; next = closers.pop()) await next();
  });
}

/** In memory: the machine that runs the tests does not lose its power, so a killed process loses nothing by this. */
const parent = findMemoryFolder() ?? tmpdir();

/** A folder that is gone when the test ends. */
export function createTemporaryFolder(t: TestScope): string {
  const folder = mkdtempSync(join(parent, "sealpost-"));
  closeAtEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
