import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { run } from "./service.ts";

export const root = join(import.meta.dirname, "..", "..");

/** Docker, or podman, whichever of them has an engine that answers. */
export interface Engine {
  readonly name: "docker" | "podman";
  /** Runs one of its commands to the end, and returns what that printed. */
  run(...parameters: readonly string[]): Promise<string>;
}

export function findEngine(): Engine | undefined {
  const name = (["docker", "podman"] as const).find(
    (program) => spawnSync(program, ["info"], { stdio: "ignore" }).status === 0,
  );
  return name && { name, run: async (...parameters) => (await run([name, ...parameters], root)).trim() };
}

/** The limits of the service's container in compose.yaml, as options of `run`; and how long it has to stop. */
export function readLimits(): { readonly options: readonly string[]; readonly graceSeconds: number } {
  const text = readFileSync(join(root, "compose.yaml"), "utf8");
  const { sealpost } = (parse(text) as { services: { sealpost: Limits } }).services; // check/compose.ts looks at each
  assert.ok(sealpost.read_only);
  const options = [
    "--read-only",
    ...sealpost.tmpfs.map((mount) => `--tmpfs=${mount}`),
    ...sealpost.cap_drop.map((name) => `--cap-drop=${name}`),
    ...sealpost.security_opt.map((option) => `--security-opt=${option}`),
  ];
  return { options, graceSeconds: Number.parseInt(sealpost.stop_grace_period, 10) };
}

interface Limits {
  readonly read_only: boolean;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly stop_grace_period: string;
}

/** Returns when the image's own health check has passed. Podman's is started by hand: its timer is systemd's. */
export async function waitUntilHealthy({ name, run }: Engine, container: string): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    if (name === "podman") {
      if (spawnSync(name, ["healthcheck", "run", container], { stdio: "ignore" }).status === 0) return;
    } else if ((await run("inspect", "--format", "{{.State.Health.Status}}", container)) === "healthy") return;
    if (Date.now() > end) throw new Error(`Not healthy after a minute:\n${await run("logs", container)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
