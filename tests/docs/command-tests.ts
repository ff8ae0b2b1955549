import { spawnSync } from "node:child_process";
import { after, test } from "node:test";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { findGuides, readBlocks } from "./blocks.ts";
import { runCommands } from "./commands.ts";

/** The commands of the others are run by `commands.check.ts`: they start many programs, and what these do has tests of its own. */
export const guideOfEveryRun = "docs/api.md";

/** A test for each of the wanted guides that has commands to run. */
export function testCommands(isWanted: (guide: string) => boolean): void {
  const cacheFolder = createTemporaryFolder({ after });
  const absent = ["bash", "curl", "jq"].filter((program) => spawnSync(program, ["--version"]).status !== 0);
  for (const guide of findGuides().filter(isWanted)) {
    const blocks = readBlocks(guide);
    if (!blocks.some(({ mark }) => mark.kind === "run")) continue;
    test(`the commands of ${guide} do what it says`, async (t) => {
      if (absent.length > 0) return t.skip(`no ${absent.join(", ")} here`);
      await runCommands(t, blocks, cacheFolder);
    });
  }
}
