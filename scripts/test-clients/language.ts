import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { LiveEnvironment } from "./live-service.ts";

/** A language with an official client package. */
export interface Language {
  readonly name: string;
  /**
   * Runs all tests of the package. Rejects when one fails, with a LanguageAbsentError when they can't run on this machine. What `prepare` gives is
   * for tests that begin at once: its webhooks are valid for five minutes, and its session for a quarter of an hour.
   */
  run(prepare: () => Promise<LiveEnvironment>): Promise<void>;
}

/** The sentence says what is missing: "Python is absent". */
export class LanguageAbsentError extends Error {}

/** Whether a program can be started, as `python3 --version` would show. */
export function isPresent(program: string, ...parameters: readonly string[]): boolean {
  return spawnSync(program, parameters, { stdio: "ignore" }).status === 0;
}

/** Runs a program at this terminal; the service answers meanwhile. Rejects when it fails. */
export async function run(
  folder: string,
  program: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(program, parameters, { cwd: folder, stdio: "inherit", env: { ...process.env, ...environment } });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ${parameters.join(" ")} ended with ${code}`);
}
