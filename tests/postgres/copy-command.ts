import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { serverProgram } from "../../packages/server/src/testing/server-program.ts";

export interface CopyRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCopy {
  readonly ended: Promise<CopyRun>;
  isOver(): boolean;
  kill(): void;
}

/** Progress is shown at a terminal alone. */
const asTerminal = ["--import", "data:text/javascript,process.stderr.isTTY = true"];

/** `sealpost-server copy` as a process of its own. `onLine` gets each line of its progress. */
export function startCopy(folder: string, to: string, onLine: (line: string, copy: RunningCopy) => void): RunningCopy {
  const child = spawn(
    process.execPath,
    [...asTerminal, ...serverProgram, "copy", "--from", `sqlite:${folder}`, "--to", to],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let [stdout, stderr, isOver] = ["", "", false];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const ended = once(child, "close").then(([code, signal]): CopyRun => {
    isOver = true;
    return { code, signal, stdout, stderr };
  });
  const copy: RunningCopy = { ended, isOver: () => isOver, kill: () => void child.kill("SIGKILL") };
  createInterface({ input: child.stderr }).on("line", (line) => {
    stderr += `${line}\n`;
    onLine(line, copy);
  });
  return copy;
}

/** The same to its end; killed when it has written a line that matches `killAt`. */
export function copy(folder: string, to: string, killAt?: RegExp): Promise<CopyRun> {
  return startCopy(folder, to, (line, running) => {
    if (killAt?.test(line)) running.kill();
  }).ended;
}
