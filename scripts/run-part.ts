import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A program of a group that one npm script runs by name, such as a benchmark: `npm run bench -- ingest`. */
export interface Part {
  readonly name: string;
  /** Relative to the repository. */
  readonly file: string;
  /** One line for the list. */
  readonly what: string;
  /** False where the program needs nothing that `npm run build` makes. */
  readonly needsBuild: boolean;
}

const root = join(import.meta.dirname, "..");

/** The part of that name, or `undefined` after a sentence and the list of all on standard error. */
export function findPart(group: string, parts: readonly Part[], name: string): Part | undefined {
  const part = parts.find((candidate) => candidate.name === name);
  if (part === undefined)
    console.error(`${name} is not a name of npm run ${group}. Names:\n\n${listParts(group, parts)}`);
  return part;
}

export function listParts(group: string, parts: readonly Part[]): string {
  const width = Math.max(...parts.map(({ name }) => name.length));
  return parts.map(({ name, what }) => `npm run ${group} -- ${name.padEnd(width)}  ${what}`).join("\n");
}

/** Runs it in a process of its own at this terminal, after a build where it needs one. The exit code. */
export async function runPart({ file, needsBuild }: Part, parameters: readonly string[]): Promise<number> {
  const code = needsBuild ? await build() : 0;
  return code === 0 ? run(["--conditions=@sealpost/source", file, ...parameters]) : code;
}

/** `npm run build`, silent when all is well. The exit code. */
export function build(): Promise<number> {
  return run([join("scripts", "build.ts"), "--quiet"]);
}

async function run(parameters: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, parameters, { cwd: root, stdio: "inherit" });
  // At a terminal the child has the interrupt already, and its end is awaited; a signal to this process alone is passed on.
  const ignore = () => {};
  const forward = () => void child.kill("SIGTERM");
  process.on("SIGINT", ignore).on("SIGTERM", forward);
  const [code] = await once(child, "exit");
  process.off("SIGINT", ignore).off("SIGTERM", forward);
  return code ?? 1;
}
