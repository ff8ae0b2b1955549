import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
/** From 0 (closed) to 10; systemd calls everything up to 2 well protected. */
const exposureMax = 20;

/** Without these a service that has hung or eaten its memory would stay so, take the machine along, or leave its memory on a disk. */
const needed = ["Restart=on-failure", "RestartPreventExitStatus=2", "MemoryMax=1G", "LimitCORE=0"];

/** systemd finds no error in the units, and rates the service's isolation as good. */
export async function checkUnits(folder: string): Promise<void> {
  const lines = readFileSync(join(root, "deploy/sealpost.service"), "utf8").split("\n");
  for (const line of needed) assert.ok(lines.includes(line), line);
  const files = ["sealpost.service", "sealpost-backup.service", "sealpost-backup.timer"].map((name) => {
    const file = join(folder, name);
    // It looks whether the program is there; here it is where the repository is.
    writeFileSync(file, readFileSync(join(root, "deploy", name), "utf8").replaceAll("/opt/sealpost", root));
    return file;
  });
  const verified = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], { encoding: "utf8" });
  assert.deepEqual([verified.status, verified.stderr], [0, ""]);
  const rated = spawnSync(
    "systemd-analyze",
    ["security", "--offline=true", `--threshold=${exposureMax}`, files[0] ?? ""],
    {
      encoding: "utf8",
    },
  );
  assert.equal(rated.status, 0, rated.stdout + rated.stderr);
}
