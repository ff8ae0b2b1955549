import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where `npm run dev` keeps its data folder, key files and what it made; no part of the repository. */
export const devFolder = join(import.meta.dirname, "..", "..", ".dev");

export interface DevForm {
  readonly id: string;
  readonly name: string;
  /** Relative to the folder; none for a form that is not sealed. */
  readonly keyFile?: string;
  /** The path at the receiver; none for a form without a webhook. */
  readonly webhookPath?: string;
  /** For the receiver, which verifies. */
  readonly webhookSecret?: string;
}

/** Written once the demo account is complete. */
export interface DevState {
  /** The address of the service. */
  readonly url: string;
  readonly email: string;
  readonly password: string;
  /** With all permissions. */
  readonly apiKey: string;
  readonly forms: readonly DevForm[];
}

export function readDevState(folder: string): DevState | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "dev.json"), "utf8")) as DevState; // written below
  } catch {
    return undefined;
  }
}

export function writeDevState(folder: string, state: DevState): void {
  writeFileSync(join(folder, "dev.json"), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
}

/**
 * The folder, emptied where an earlier start did not come to its end, or where all is to be made again. A folder that
 * something else has put files into is refused instead.
 */
export function prepareFolder(folder: string, isFresh: boolean): void {
  const mark = join(folder, "README");
  if (existsSync(folder) && !existsSync(mark) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not a folder of npm run dev`);
  if (isFresh || readDevState(folder) === undefined) rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "data"), { recursive: true, mode: 0o700 });
  writeFileSync(mark, "Made by npm run dev, and removed by npm run dev -- --fresh.\n");
}
