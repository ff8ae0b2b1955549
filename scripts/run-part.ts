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
/** How often a program that runs looks whether its parent is still there. */
const parentMilliseconds = 250;

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
export function runPart({ file, needsBuild }: Part, parameters: readonly string[]): Promise<number> {
  return needsBuild ? runBuilt(file, parameters) : runSource(file, parameters);
}

/** The same for any program that needs a build. */
export async function runBuilt(file: string, parameters: readonly string[]): Promise<number> {
  const code = await build();
  return code === 0 ? runSource(file, parameters) : code;
}

function runSource(file: string, parameters: readonly string[]): Promise<number> {
  return run(["--conditions=@sealpost/source", file, ...parameters]);
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
  // npm has a shell between itself and this process. It passes SIGTERM to the shell, which ends alone.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    forward();
  }, parentMilliseconds);
  const [code] = await once(child, "exit");
  clearInterval(watch);
  process.off("SIGINT", ignore).off("SIGTERM", forward);
  return code ?? 1;
}
